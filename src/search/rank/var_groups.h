/*
 * var_groups.h - groups of memory, each of which counts as one variable when variables are drawn from a profile: a
 * global, all memory that one statement allocates, or, if neither is known, bytes that are accessed together.
 * There are groups only for memory that several threads use, or for all memory if there is none. Later profiles
 * find the same groups: a group keeps its number.
 */
#ifndef RD_SEARCH_RANK_VAR_GROUPS_H
#define RD_SEARCH_RANK_VAR_GROUPS_H

#include "base/map.h"
#include "trace/profile.h"

/* A piece of memory of a group. */
struct rd_piece {
    rd_place first, last;
    uint32_t group;
};

struct rd_group {
    uint32_t
        uses; /* operations on it in an execution: the mean of the profiles, or the most that were seen since */
    uint32_t pieces; /* index of its first piece */
    uint32_t piece_count;
};

struct rd_var_groups {
    struct rd_arena *arena;
    struct rd_map index; /* key of a group -> number + 1 */
    bool shared;         /* there are groups only for memory that several threads use */
    struct {
        RD_VEC(struct rd_group);
    } list;
    struct {
        RD_VEC(struct rd_piece);
    } pieces; /* by group, ascending, without overlaps within a group */
};

/* Learns from a profile. Returns whether there is a new group, or a group has more uses. */
bool rd_var_groups_learn(struct rd_var_groups *g, const struct rd_profile *p);
/*
 * Writes the pieces of the chosen groups as tracked memory, where group i is variable i of the plan: sorted,
 * without overlaps, at most `room` pieces. Returns their number; *all is false if some did not fit.
 */
uint32_t rd_var_groups_track(const struct rd_var_groups *g, const uint32_t *chosen, uint32_t count,
                             struct rd_track *to, uint32_t room, bool *all);

#endif
