/*
 * dfs.h - depth-first search (dfs.c) up to a depth, for searches that are built on it (`idfs`). A depth of 0 is no
 * limit.
 */
#ifndef RD_SEARCH_DFS_H
#define RD_SEARCH_DFS_H

#include "search/search.h"

struct rd_dfs;

struct rd_dfs *rd_dfs_open(struct rd_arena *a, uint64_t depth);
/* Begins again from the first execution. */
void rd_dfs_restart(struct rd_dfs *d, uint64_t depth);
enum rd_next rd_dfs_next(struct rd_dfs *d, struct rd_draft *draft);
void rd_dfs_feedback(struct rd_dfs *d, const struct rd_plan *plan, const struct rd_record *r);
uint64_t rd_dfs_depth(const struct rd_dfs *d);
/*
 * For teams (team/team.h). rd_dfs_wait: the search has no execution to run until it takes a unit. rd_dfs_has:
 * returns whether an execution is left. rd_dfs_give: writes the untried alternatives of the uppermost node that
 * has any, or half of them if no other node has one; returns the size in bytes, 0: fewer than two alternatives are
 * left, or the room is too small. rd_dfs_take: goes on with such a unit.
 */
void rd_dfs_wait(struct rd_dfs *d);
bool rd_dfs_has(struct rd_dfs *d);
size_t rd_dfs_give(struct rd_dfs *d, void *to, size_t room);
void rd_dfs_take(struct rd_dfs *d, const void *unit, size_t size);
/* Returns how many executions were cut at the depth. */
uint64_t rd_dfs_cut(const struct rd_dfs *d);

#endif
