/*
 * var_groups.h - what of a profile counts as one variable when variables are drawn: a global, whatever is allocated
 * by one statement, or, where neither is known, the bytes that are accessed together. Only those that several
 * threads were seen to use are there, or all when there is none. They are found again in later profiles: a group
 * stays, and its number too.
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
    uint32_t uses; /* operations on it in an execution: the mean of the profile, or the most that were seen since */
    uint32_t pieces; /* index of its first piece */
    uint32_t piece_count;
};

struct rd_var_groups {
    struct rd_arena *arena;
    struct rd_map index; /* key of a group -> number + 1 */
    bool shared;         /* those of several threads only */
    struct {
        RD_VEC(struct rd_group);
    } list;
    struct {
        RD_VEC(struct rd_piece);
    } pieces; /* by group, ascending, no two of a group overlap */
};

/* Reads the profile. True: there are more groups than before, or more uses of one. */
bool rd_var_groups_learn(struct rd_var_groups *g, const struct rd_profile *p);
/*
 * Writes the pieces of these groups, the i-th of which becomes the plan's variable i: sorted, none overlap, no more
 * than `room`. Returns how many; `all` is false when there was no room for some.
 */
uint32_t rd_var_groups_track(const struct rd_var_groups *g, const uint32_t *chosen, uint32_t count,
                             struct rd_track *to, uint32_t room, bool *all);

#endif
