/*
 * unit_sim.h - one simulator for all tests of a group (open_sim and close_sim set it up and tear it down), to run
 * executions by lists of threads and to compare their steps. Threads of bare programs are the engine's 1, 2, …
 */
#ifndef RD_TEST_UNIT_SIM_H
#define RD_TEST_UNIT_SIM_H

#include "sim.h"
#include "unit.h"

static struct sim *sim;

static inline int open_sim(void **state) {
    (void)state;
    sim = sim_open();
    return 0;
}

static inline int close_sim(void **state) {
    (void)state;
    sim_close(sim);
    return 0;
}

/* Runs an execution by these threads, then by the default picker. */
#define RUN(...) sim_run_threads(sim, (rd_tid[]){__VA_ARGS__}, RD_COUNT(((rd_tid[]){__VA_ARGS__})))

/* Compares the threads of all steps. */
static inline void check_threads(const rd_tid *expected, uint32_t count) {
    assert_int_equal(sim->rec.out->steps, count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(sim->rec.steps[i].tid, expected[i]);
}
#define CHECK_THREADS(...) check_threads((rd_tid[]){__VA_ARGS__}, RD_COUNT(((rd_tid[]){__VA_ARGS__})))

#endif
