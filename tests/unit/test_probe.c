/*
 * test_probe.c - livelocks by threads that undo each other's work (explore/livelock_probe.h, engine/retry_cycle.h):
 * every search finds them, even if all its own executions end. A thread that only retries until another thread is
 * done is not reported.
 */
#include "unit.h"

#include "detect/detect.h"
#include "explore/loop.h"
#include "sim.h"

#include <stdlib.h>
#include <string.h>

enum { REGION = 1 << 22, STEPS = SIM_STEPS_MAX - 10, AGAIN = 0, OUT };

struct fake {
    struct rd_channel *channel;
    struct sim *sim;
    struct rd_arena arena;
};

static void run(void *ctx) {
    struct fake *f = ctx;
    sim_run(f->sim, &f->channel->execution.plan);
}

static uint64_t now_ns(void *ctx) {
    (void)ctx;
    return 1;
}

/* Runs a search with these detectors (bits); returns the kind of its first finding. */
static uint32_t search_with(const struct sim_program *p, const char *strategy, uint32_t detect, uint64_t *probes) {
    struct rd_channel shape = {0};
    struct rd_channel_size room = {.steps = SIM_STEPS_MAX, .store = 8 * SIM_STEPS_MAX};
    uint64_t size = rd_channel_layout(&shape, &room);
    struct fake f = {.channel = calloc(1, size), .sim = sim_open()};
    memcpy(f.channel, &shape, sizeof shape);
    rd_arena_init(&f.arena, malloc(REGION), REGION);
    struct rd_record rec = rd_channel_record(f.channel);
    sim_load(f.sim, p, &(struct sim_options){.loops = true, .steps_max = STEPS, .fair_after = 40}, &rec);
    strcpy(f.channel->config.strategy, strategy);
    f.channel->config.seed = 1;
    f.channel->config.detect = detect;
    f.channel->config.executions_max = 300;
    rd_loop_run(f.channel, &f.arena, &(struct rd_loop_env){.ctx = &f, .run = run, .now_ns = now_ns});
    const struct rd_summary *s = &f.channel->result.summary;
    uint32_t kind = s->found_count ? f.channel->result.found[0].finding.kind : RD_NO_FINDING;
    *probes = s->probes;
    assert_int_not_equal(s->end, RD_END_TROUBLE);
    sim_close(f.sim);
    free(f.arena.base);
    free(f.channel);
    return kind;
}

static uint32_t search(const struct sim_program *p, const char *strategy, uint64_t *probes) {
    return search_with(p, strategy, 1u << RD_DETECT_DEADLOCKS, probes);
}

static int r0(const int *r) { return r[0]; }

/*
 * "After you": each thread sets its flag, sees the other's, and resets its own. `once`: the second thread then
 * gives up.
 */
static void polite(struct sim_program *p, bool once) {
    for (uint8_t t = 0; t < 2; t++) {
        SIM_THREAD(p, do_label(AGAIN), do_write(t, 1), do_read(1 - t, 0), do_if_zero(r0, OUT), do_write(t, 0));
        if (!once || t == 0)
            SIM_APPEND(p, do_goto(AGAIN));
        SIM_APPEND(p, do_label(OUT), do_write(t, 0));
    }
}

/*
 * Each thread takes its own lock, tries the other's, and releases its own. `once`: the second thread then gives up.
 */
static void back_off(struct sim_program *p, bool once) {
    for (uint8_t t = 0; t < 2; t++) {
        SIM_THREAD(p, do_label(AGAIN), do_lock(t), do_trylock(1 - t, 0), do_if(r0, OUT), do_unlock(t));
        if (!once || t == 0)
            SIM_APPEND(p, do_goto(AGAIN));
        else
            SIM_APPEND(p, do_end());
        SIM_APPEND(p, do_label(OUT), do_unlock(1 - t), do_unlock(t));
    }
}

static const char *const strategies[] = {"random", "urw", "pos", "icb", "dfs", "dpor"};

static void threads_that_undo_each_others_work_are_found(void **state) {
    (void)state;
    for (uint32_t i = 0; i < RD_COUNT(strategies); i++) {
        struct sim_program p = {.name = "polite"}, q = {.name = "back off"};
        uint64_t probes;
        polite(&p, false);
        back_off(&q, false);
        assert_int_equal(search(&p, strategies[i], &probes), RD_LIVELOCK);
        assert_int_equal(search(&q, strategies[i], &probes), RD_LIVELOCK);
        assert_true(probes > 0);
    }
}

static void retries_until_another_thread_is_done_are_no_livelock(void **state) {
    (void)state;
    for (uint32_t i = 0; i < RD_COUNT(strategies); i++) {
        struct sim_program p = {.name = "polite once"}, q = {.name = "back off once"};
        uint64_t probes;
        polite(&p, true);
        back_off(&q, true);
        assert_int_equal(search(&p, strategies[i], &probes), RD_NO_FINDING);
        assert_true(probes > 0);
        assert_int_equal(search(&q, strategies[i], &probes), RD_NO_FINDING);
        assert_true(probes > 0);
    }
}

static void without_detectors_no_probe_is_run(void **state) {
    (void)state;
    for (uint32_t i = 0; i < RD_COUNT(strategies); i++) {
        struct sim_program p = {.name = "polite once"};
        uint64_t probes;
        polite(&p, true);
        assert_int_equal(search_with(&p, strategies[i], 0, &probes), RD_NO_FINDING);
        assert_int_equal(probes, 0);
    }
}

int test_probe(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_that_undo_each_others_work_are_found),
        cmocka_unit_test(retries_until_another_thread_is_done_are_no_livelock),
        cmocka_unit_test(without_detectors_no_probe_is_run),
    };
    return cmocka_run_group_tests_name("threads in step", tests, NULL, NULL);
}
