/*
 * sim_team.h - several workers on one search over a simulated program, in one process. Each worker has a simulator
 * of its own, and a random generator chooses the worker that has the next turn. A turn is the code before an
 * execution together with the execution, or the code after it. So the workers interact in any order, and in the
 * same order for the same seed.
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
    uint64_t executions; /* executions that were not cut */
};

struct sim_team {
    struct rd_hub *hub;
    const struct rd_search *search;
    struct rd_params params;
    uint32_t workers;
    struct sim_worker at[SIM_WORKERS];
    struct rd_rng rng;
    uint64_t left;      /* left of the team's budget, as in struct rd_draft */
    bool memory_unseen; /* as in struct rd_draft */
    uint64_t late;      /* number of executions that the first worker runs before the others join */
};

/* The memory of the last team is used again by the next one. */
struct sim_team *sim_team_open(const struct sim_program *p, const char *strategy, const struct sim_options *o,
                               uint32_t workers, uint64_t turns);
/* Runs the next execution of any worker. NULL: no execution is left, and all workers but the first have left. */
struct sim *sim_team_next(struct sim_team *t);
/* Makes the first worker leave, and returns its claim. */
struct rd_claim sim_team_claim(struct sim_team *t);

#endif
