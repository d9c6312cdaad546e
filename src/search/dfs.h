/* dfs.h - depth-first search, for those that are built on it. A depth of 0 is no limit. */
#ifndef RD_SEARCH_DFS_H
#define RD_SEARCH_DFS_H

#include "search/search.h"

struct rd_dfs;

struct rd_dfs *rd_dfs_open(struct rd_arena *a, uint64_t depth);
/* From the first execution on again. */
void rd_dfs_restart(struct rd_dfs *d, uint64_t depth);
enum rd_next rd_dfs_next(struct rd_dfs *d, struct rd_draft *draft);
void rd_dfs_feedback(struct rd_dfs *d, const struct rd_plan *plan, const struct rd_record *r);
uint64_t rd_dfs_depth(const struct rd_dfs *d);
/*
 * For several workers (team.h): begin with nothing; is anything left; the uppermost node that has something left,
 * all of it, or a half when nothing is left elsewhere (bytes, 0: there is too little); and go on from there.
 */
void rd_dfs_wait(struct rd_dfs *d);
bool rd_dfs_has(struct rd_dfs *d);
size_t rd_dfs_give(struct rd_dfs *d, void *to, size_t room);
void rd_dfs_take(struct rd_dfs *d, const void *unit, size_t size);
/* How many executions were longer than the depth allows. */
uint64_t rd_dfs_cut(const struct rd_dfs *d);

#endif
