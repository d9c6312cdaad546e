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
void total_same_claim(const char *who, const struct rd_claim *got, const struct rd_claim *wanted);

#endif
