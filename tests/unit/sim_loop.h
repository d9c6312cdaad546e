/*
 * sim_loop.h - whole workers over a simulated program, each with its loop, its channel and its memory, in one
 * process: a worker has a stack of its own, and a generator decides who goes on whenever one runs an execution or
 * waits. A worker can die there, at any of these moments: its stack is gone, its memory stays, and another one goes
 * on.
 */
#ifndef RD_TEST_SIM_LOOP_H
#define RD_TEST_SIM_LOOP_H

#include "base/rng.h"
#include "explore/resume.h"
#include "sim.h"

#include <ucontext.h>

enum { SIM_LOOPS = 3 };

struct sim_loop {
    struct rd_channel *channel;
    struct sim *sim;
    struct rd_arena arena;
    struct rd_team team;
    ucontext_t context;
    char *stack;
    bool begun, gone;   /* it is over */
    bool dead;          /* … for this one: it is to be replaced */
    bool asleep;        /* it waits for this word to change */
    uint32_t *word, is; /* … from that */
};

struct sim_loops {
    struct sim_loop at[SIM_LOOPS];
    uint32_t count;
    struct rd_hub *hub;
    struct rd_rng rng;
    ucontext_t scheduler;
    struct sim_loop *now;
    uint32_t deaths_in;              /* one in so many moments is a worker's last; 0: none is */
    uint32_t deaths_most;            /* … and no more than that */
    uint32_t deaths;                 /* that there were */
    uint64_t executions, cut, sum;   /* that were given to a search: how many, and a hash of the schedules */
    const struct sim_program *other; /* that the next worker finds instead; NULL: the same */
};

struct sim_loop_setup {
    const struct sim_program *program, *other;
    const struct sim_options *options;
    const char *strategy;
    uint32_t workers;
    uint32_t deaths_in, deaths_most;
    uint64_t turns; /* seed of who goes on, and dies */
    bool keep_going;
};

/* Runs it to its end. What it returns is there until the next one. */
struct sim_loops *sim_loop_run(const struct sim_loop_setup *how);
/* What all workers have counted. */
uint64_t sim_loop_executions(const struct sim_loops *s);

#endif
