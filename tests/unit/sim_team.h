/*
 * sim_team.h - several workers on one search over a simulated program, in one process: each has a simulator of its
 * own, and a generator decides whose turn it is. A turn is what a worker does before an execution, with the
 * execution, or what it does after it; so what they do to each other comes in any order, and the same order for the
 * same seed.
 */
#ifndef RD_TEST_SIM_TEAM_H
#define RD_TEST_SIM_TEAM_H

#include "base/rng.h"
#include "search/team/team.h"
#include "sim.h"

enum { SIM_WORKERS = 4 };

enum sim_worker_state { SIM_WORKER_NEW, SIM_WORKER_READY, SIM_WORKER_RAN, SIM_WORKER_WAITS, SIM_WORKER_DONE };

struct sim_worker {
    struct sim *sim;
    struct rd_arena arena;
    struct rd_team team;
    struct rd_plan plan;
    enum sim_worker_state state;
    uint64_t executions; /* that were not cut */
};

struct sim_team {
    struct rd_hub *hub;
    const struct rd_search *search;
    struct rd_params params;
    uint32_t workers;
    struct sim_worker at[SIM_WORKERS];
    struct rd_rng rng;
    uint64_t left;      /* of the budget, for all; see struct rd_draft */
    bool memory_unseen; /* the same */
    uint64_t late;      /* executions of the first worker before the others come */
};

/* Memory is kept from one to the next. */
struct sim_team *sim_team_open(const struct sim_program *p, const char *strategy, const struct sim_options *o,
                               uint32_t workers, uint64_t turns);
/* The next execution of anybody; NULL: there is none, and all but the first worker have left. */
struct sim *sim_team_next(struct sim_team *t);
/* The first worker leaves; what it claims then. */
struct rd_claim sim_team_claim(struct sim_team *t);

#endif
