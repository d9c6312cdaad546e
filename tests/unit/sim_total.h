/*
 * sim_total.h - what a search runs over a simulated program, alone or with several workers, as numbers that can be
 * compared.
 */
#ifndef RD_TEST_SIM_TOTAL_H
#define RD_TEST_SIM_TOTAL_H

#include "sim_search.h"
#include "sim_team.h"

/* What was run: schedules as a multiset, classes as a set. */
struct total {
    uint64_t executions, cut, sum, classes, helped;
    struct rd_claim claim;
};

struct total total_by_team(const struct sim_program *p, const char *strategy, const struct sim_options *o,
                           uint32_t workers, uint64_t turns);
struct total total_by_one(const struct sim_program *p, const char *strategy, const struct sim_options *o);

/* By one, and by a team of 2 to 4; `seed`: how many, and whose turn it is. */
struct totals {
    struct total one, team;
};
struct totals total_by_both(const struct sim_program *p, const char *strategy, const struct sim_options *o,
                            uint64_t seed);
/* The same, by a team of 1 to 3. Nothing at all, if one worker has run so many and goes on. */
struct totals total_by_both_if_small(const struct sim_program *p, const char *strategy, const struct sim_options *o,
                                     uint64_t seed, uint64_t most);
/* Every order of events by brute force, of a program of sim_cases whose asserts do not stop it. */
struct total_case {
    struct sim_program program;
    struct sim_options options;
    struct sim_result all;
};
/* False: there are more schedules than that. */
bool total_case(struct total_case *c, size_t number, uint64_t most);

void total_same_claim(const char *who, const struct rd_claim *got, const struct rd_claim *wanted);

#endif
