/*
 * test_delay.c - delay bounding: schedules by delays, computed beforehand by brute force with another
 * implementation; every schedule once, in the order of delays; the claim; and the picker of the search's first
 * execution.
 */
#include "unit.h"

#include "sim_search.h"

#include <string.h>

/*
 * Delays of an execution: the enabled threads that were passed over, counted in turn from the thread of the step
 * before, and the waiters that were passed over.
 */
static uint32_t delays_of(const struct rd_record *r) {
    uint32_t n = 0;
    rd_tid before = 0;
    for (uint32_t i = 0; i < r->out->steps; i++) {
        const struct rd_step *s = &r->steps[i];
        n += s->op == RD_OP_WAITER ? (uint32_t)s->value : 0;
        for (uint32_t k = 0; s->op != RD_OP_WAITER && k < s->ncand; k++) {
            rd_tid t = r->cands[s->cand + k];
            bool wraps = s->tid < before;
            n += wraps ? t >= before || t < s->tid : t >= before && t < s->tid;
        }
        before = s->tid;
    }
    return n;
}

struct census {
    const char *name;
    uint64_t by[40];
    uint32_t last;
    bool late;
};

static void tally(void *ctx, const struct sim *s) {
    struct census *c = ctx;
    uint32_t d = delays_of(&s->rec);
    if (!c->late && d < c->last)
        unit_count(c->name, "delays of an execution", d, c->last);
    c->last = d;
    c->by[RD_MIN(d, RD_COUNT(c->by) - 1)]++;
}

static void schedules_by_delays(void **state) {
    (void)state;
    static const struct {
        sim_build build;
        int n, k;
        uint64_t by[10];
        bool more; /* there are schedules with more delays than the row lists */
    } rows[] = {
        {sim_independent, 2, 2, {1, 2, 2, 1}, false},
        {sim_independent, 3, 2, {1, 4, 10, 15, 19, 17, 13, 7, 3, 1}, false},
        {sim_rapos1, 0, 0, {1, 4}, false},
        {sim_rank1, 0, 0, {1, 1}, false},
        {sim_rank2, 0, 0, {1, 2}, false},
        {sim_rank3, 0, 0, {1, 2, 2, 1}, false},
        {sim_rank4, 0, 0, {1, 3, 6, 6, 3, 1}, false},
        {sim_rank8, 0, 0, {1, 2, 2, 1}, false},
        {sim_rank9, 0, 0, {1, 3, 4, 4}, false},
        {sim_rank10, 0, 0, {1, 5, 8, 16}, false},
        {sim_rank12, 0, 0, {1, 4, 9}, true},
        {sim_split_sync, 0, 0, {1, 2, 2, 1}, false},
        {sim_lost_update_main, 0, 0, {1, 5, 4, 7, 1, 1}, false},
        {sim_abba, 0, 0, {1, 3, 2}, false},
        {sim_philosophers, 3, 0, {1, 7, 24}, true},
    };
    for (size_t i = 0; i < RD_COUNT(rows); i++) {
        struct sim_program p = sim_make(rows[i].build, rows[i].n, rows[i].k);
        struct census c = {.name = p.name};
        struct sim_result r;
        sim_explore(&p, "delay", &(struct sim_options){.seen = tally, .ctx = &c}, &r);
        for (size_t d = 0; d < RD_COUNT(rows[i].by); d++)
            if (!rows[i].more || rows[i].by[d])
                unit_count(p.name, "schedules by delays", c.by[d], rows[i].by[d]);
        uint64_t within = 0;
        static const char *const strategies[] = {"delay:d=0", "delay:d=1", "delay:d=2"};
        for (unsigned d = 0; d < RD_COUNT(strategies); d++) {
            within += c.by[d];
            sim_explore(&p, strategies[d], NULL, &r);
            unit_count(p.name, strategies[d], r.executions, within);
            assert_true(r.complete && r.repeated == 0);
        }
    }
}

static void every_schedule_once_in_the_order_of_delays(void **state) {
    (void)state;
    for (size_t i = 0; i < sim_case_count; i++) {
        struct sim_program p = sim_make(sim_cases[i].build, sim_cases[i].n, sim_cases[i].k);
        struct census c = {.name = p.name};
        struct sim_result r, all;
        sim_enumerate(&p, NULL, &all);
        sim_explore(&p, "delay", &(struct sim_options){.seen = tally, .ctx = &c}, &r);
        unit_count(p.name, "executions", r.executions, all.executions);
        unit_count(p.name, "executions without a delay", c.by[0], 1);
        unit_count(p.name, "repeated", r.repeated, 0);
        assert_true(r.complete && r.schedule_sum == all.schedule_sum);
    }
}

static void a_finished_bound_is_claimed(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_independent, 3, 2);
    struct sim_search s = sim_search_open(&p, "delay:d=2", NULL);
    static const uint64_t within[] = {1, 5, 15};
    int32_t last = -1;
    while (sim_search_next(&s)) {
        struct rd_claim c = sim_search_claim(&s);
        if (c.delays == last)
            continue;
        last = c.delays;
        unit_count(p.name, "executions", s.executions, within[last]);
        assert_int_equal(c.preemptions, -1);
    }
    struct rd_claim c = sim_search_claim(&s);
    assert_false(c.complete);
    assert_string_equal(c.proved,
                        "every execution with at most 2 delays was covered (15 executions); a bug that was "
                        "missed needs at least 3");
    sim_search_close(&s);
    s = sim_search_open(&p, "delay", NULL);
    sim_search_rest(&s);
    c = sim_search_claim(&s);
    assert_true(c.complete && c.delays == 9);
    assert_string_equal(c.proved, "every execution was covered (90 executions)");
    const struct rd_delta_tree *t = sim_search_tree(&s);
    assert_true(t->created == 90 && t->destroyed == 90 && t->alive == 0);
    sim_search_close(&s);
}

/* A wait that can only time out has its turn after all other threads. */
static void giving_up_comes_after_all_others(void **state) {
    (void)state;
    struct sim_program p = {.name = "timed"};
    enum { M, X = 0 };
    SIM_THREAD(&p, do_lock(M), do_write(X, 1), do_unlock(M));
    SIM_THREAD(&p, do_timedlock(M, 100, 0));
    SIM_THREAD(&p, do_write(X, 2));
    struct sim_options o = {.timeouts = 1};
    struct sim_search s = sim_search_open(&p, "delay:d=1", &o);
    char text[16];
    assert_true(sim_search_next(&s));
    assert_string_equal(sim_schedule(s.sim, text, sizeof text), "AAABC");
    while (sim_search_next(&s)) /* for B to time out while A has the lock, A and C must be passed over */
        for (uint32_t i = 0; i < s.sim->rec.out->steps; i++)
            assert_false(s.sim->rec.steps[i].flags & RD_STEP_GAVE_UP);
    sim_search_close(&s);
    struct sim_result r, all;
    sim_enumerate(&p, &o, &all);
    sim_explore(&p, "delay", &o, &r);
    assert_true(r.complete && r.schedule_sum == all.schedule_sum && r.repeated == 0);
}

static uint32_t pick_round(rd_tid current, const struct rd_cand *cand, uint32_t count) {
    unsigned char memory[RD_PICKER_STATE];
    rd_pick_round.begin(memory, &(struct rd_plan){.picker = RD_PICK_ROUND});
    return rd_pick_round.pick(memory, &(struct rd_point){.current = current, .count = count, .cand = cand});
}

static void the_picker_takes_turns_without_preempting(void **state) {
    (void)state;
    struct rd_cand three[] = {{.tid = 1}, {.tid = 3}, {.tid = 5}};
    assert_int_equal(pick_round(0, three, 3), 0);
    assert_int_equal(pick_round(1, three, 3), 0);
    assert_int_equal(pick_round(2, three, 3), 1);
    assert_int_equal(pick_round(5, three, 3), 2);
    assert_int_equal(pick_round(6, three, 3), 0);
    three[1].only_times_out = true;
    assert_int_equal(pick_round(3, three, 3), 2);
    three[2].only_times_out = true;
    assert_int_equal(pick_round(3, three, 3), 0);
    three[0].only_times_out = true;
    assert_int_equal(pick_round(3, three, 3), 1);
    assert_int_equal(pick_round(3, NULL, 4), 0);
}

int test_delay(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(schedules_by_delays),
        cmocka_unit_test(every_schedule_once_in_the_order_of_delays),
        cmocka_unit_test(a_finished_bound_is_claimed),
        cmocka_unit_test(giving_up_comes_after_all_others),
        cmocka_unit_test(the_picker_takes_turns_without_preempting),
    };
    return cmocka_run_group_tests_name("delay bounding", tests, NULL, NULL);
}
