/*
 * sim_search.h - a search over a simulated program, one execution at a time, for tests that look at the search
 * itself: what it claims, what is in its memory, which budget it has.
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
    uint64_t left;       /* of the budget; see struct rd_draft */
    bool memory_unseen;  /* the same */
    struct rd_plan plan; /* of the last execution */
    uint64_t executions; /* cut ones included */
    bool cut;            /* the last one was */
    uint64_t sum;        /* of hashes of the schedules that were not cut, as in struct sim_result */
};

struct sim_search sim_search_open(const struct sim_program *p, const char *strategy, const struct sim_options *o);
/* The next execution, which is in s->sim->rec then; false: the search is done. */
bool sim_search_next(struct sim_search *s);
/* All that are left. */
void sim_search_rest(struct sim_search *s);
struct rd_claim sim_search_claim(const struct sim_search *s);
/* The tree of a search that has one. */
const struct rd_delta_tree *sim_search_tree(const struct sim_search *s);
void sim_search_close(struct sim_search *s);

/* The schedule of the last execution: A, B, … for threads 1, 2, …; digits for waiters. */
const char *sim_schedule(const struct sim *s, char *to, size_t room);

/* Every program of sim_programs.h that ends in every schedule, with the sizes that brute force can do. */
struct sim_case {
    sim_build build;
    int n, k;
};
extern const struct sim_case sim_cases[];
extern const size_t sim_case_count;

#endif
