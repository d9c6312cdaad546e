/*
 * sim_search.h - a search over a simulated program, one execution at a time, for tests that inspect the search
 * itself: its claim, its memory, its budget.
 */
#ifndef RD_TEST_SIM_SEARCH_H
#define RD_TEST_SIM_SEARCH_H

#include "search/search.h"
#include "search/bounded/delta_tree.h"
#include "sim_programs.h"

struct sim_search {
    struct sim *sim;
    struct rd_arena arena;
    struct rd_params params; /* may be changed before the first execution */
    const struct rd_search *search;
    void *state;
    uint64_t left;       /* left of the budget, as in struct rd_draft */
    bool memory_unseen;  /* as in struct rd_draft */
    struct rd_plan plan; /* plan of the last execution */
    uint64_t executions; /* including cut executions */
    bool cut;            /* whether the last execution was cut */
    uint64_t sum;        /* sum of the hashes of the schedules that were not cut, as in struct sim_result */
};

struct sim_search sim_search_open(const struct sim_program *p, const char *strategy, const struct sim_options *o);
/* Runs the next execution; its record is in s->sim->rec. Returns false when the search is done. */
bool sim_search_next(struct sim_search *s);
/* Runs all remaining executions. */
void sim_search_rest(struct sim_search *s);
struct rd_claim sim_search_claim(const struct sim_search *s);
/* The tree of a search that keeps one. */
const struct rd_delta_tree *sim_search_tree(const struct sim_search *s);
void sim_search_close(struct sim_search *s);

/*
 * Writes the schedule of the last execution as text: A, B, … for threads 1, 2, …; a digit for the choice of a
 * waiter.
 */
const char *sim_schedule(const struct sim *s, char *to, size_t room);

/* The programs of sim_programs.h that end in every schedule, in sizes that brute force can enumerate. */
struct sim_case {
    sim_build build;
    int n, k;
};
extern const struct sim_case sim_cases[];
extern const size_t sim_case_count;

#endif
