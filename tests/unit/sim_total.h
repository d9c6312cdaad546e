/*
 * sim_total.h - the executions that a search runs over a simulated program, alone or with several workers, as
 * numbers that can be compared.
 */
#ifndef RD_TEST_SIM_TOTAL_H
#define RD_TEST_SIM_TOTAL_H

#include "sim_search.h"
#include "sim_team.h"

/*
 * The executions of a search: `sum` is a hash of the multiset of schedules, `classes` the number of distinct
 * classes.
 */
struct total {
    uint64_t executions, cut, sum, classes, helped;
    struct rd_claim claim;
};

struct total total_by_team(const struct sim_program *p, const char *strategy, const struct sim_options *o,
                           uint32_t workers, uint64_t turns);
struct total total_by_one(const struct sim_program *p, const char *strategy, const struct sim_options *o);

/*
 * One search run by one worker and by a team of 2 to 4; `seed` determines the size of the team and the order of
 * turns.
 */
struct totals {
    struct total one, team;
};
struct totals total_by_both(const struct sim_program *p, const char *strategy, const struct sim_options *o,
                            uint64_t seed);
/* The same with a team of 1 to 3. Returns zeroes if one worker runs more than `most` executions. */
struct totals total_by_both_if_small(const struct sim_program *p, const char *strategy, const struct sim_options *o,
                                     uint64_t seed, uint64_t most);
/* Every class by brute force, of a program of sim_cases whose asserts do not end the execution. */
struct total_case {
    struct sim_program program;
    struct sim_options options;
    struct sim_result all;
};
/* Returns false if the program has more than `most` schedules. */
bool total_case(struct total_case *c, size_t number, uint64_t most);

void total_same_claim(const char *program, const struct rd_claim *got, const struct rd_claim *wanted);

#endif
