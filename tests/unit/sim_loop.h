/*
 * sim_loop.h - whole workers over a simulated program in one process. Each worker has a loop, a channel, memory and
 * a stack of its own. Whenever a worker runs an execution or waits, a random generator picks the worker that
 * continues. A worker can die at any of these moments: its stack is discarded, its memory stays, and a replacement
 * continues its search.
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
    bool begun, gone; /* gone: the worker has ended */
    bool dead;        /* the worker died and is to be replaced */
    bool asleep;      /* the worker waits until *word differs from `is` */
    uint32_t *word, is;
};

struct sim_loops {
    struct sim_loop at[SIM_LOOPS];
    uint32_t count;
    struct rd_hub *hub;
    struct rd_rng rng;
    ucontext_t scheduler;
    struct sim_loop *now;
    /* at each moment a worker dies with probability 1 / deaths_in; 0: workers do not die */
    uint32_t deaths_in;
    uint32_t deaths_most; /* no worker dies after this many deaths */
    uint32_t deaths;      /* number of deaths so far */
    /* executions given to a search: their number, the number cut, and a hash of the schedules */
    uint64_t executions, cut, sum;
    const struct sim_program *other; /* the program that a replacement runs instead; NULL: the same program */
};

struct sim_loop_setup {
    const struct sim_program *program, *other;
    const struct sim_options *options;
    const char *strategy;
    uint32_t workers;
    uint32_t deaths_in, deaths_most;
    uint64_t turns; /* seed of the generator that picks the next worker and the deaths */
    bool keep_going;
};

/* Runs all workers to their end. The result is valid until the next call. */
struct sim_loops *sim_loop_run(const struct sim_loop_setup *how);
/* The number of executions that all workers have counted. */
uint64_t sim_loop_executions(const struct sim_loops *s);

#endif
