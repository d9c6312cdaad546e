/*
 * test_focus.c - preemptions only at some variables or in some code. Brute force without the filter gives the
 * expected schedules: those whose preemptions all come where the preempted thread has just performed, or is about
 * to perform, an operation that is in focus. Searches must run exactly those, each once.
 */
#include "unit.h"

#include "sim_search.h"

struct census {
    const struct rd_range *focus;
    uint64_t count, sum, by[SIM_PREEMPTIONS], elsewhere;
};

static void tally(void *ctx, const struct sim *s) {
    struct census *c = ctx;
    uint64_t h = 0;
    if (s->rec.out->verdict == RD_CUT)
        return;
    if (!sim_focused(c->focus, &s->rec)) {
        c->elsewhere++;
        return;
    }
    for (uint32_t i = 0; i < s->rec.out->steps; i++)
        h = rd_hash2(h,
                     rd_step_is_way(&s->rec.steps[i]) ? s->rec.steps[i].value + RD_TID_MAX : s->rec.steps[i].tid);
    c->sum += h;
    c->count++;
    c->by[RD_MIN(s->rec.out->preemptions, SIM_PREEMPTIONS - 1u)]++;
}

static struct census by_brute_force(const struct sim_program *p, const struct rd_range *f) {
    struct census c = {.focus = f};
    struct sim_result r;
    sim_enumerate(p, &(struct sim_options){.seen = tally, .ctx = &c}, &r);
    return c;
}

static struct census by_search(const struct sim_program *p, const struct rd_range *f, const char *strategy,
                               uint64_t executions) {
    struct census c = {.focus = f};
    struct sim_result r;
    struct sim_options o = {
        .seen = tally, .ctx = &c, .focus = f, .focus_count = 1, .executions_max = executions, .seed = 5};
    sim_explore(p, strategy, &o, &r);
    unit_count(p->name, strategy, r.complete, executions == 0);
    unit_count(p->name, "schedules that were run again", executions ? 0 : r.repeated, 0);
    return c;
}

/* Compares all searches with brute force. Returns the number of schedules. */
static uint64_t compare(const struct sim_program *p, const struct rd_range *f) {
    static const char *const exhaustive[] = {"dfs", "icb", "delay", "best"};
    static const char *const samplers[] = {"random", "pos", "rapos", "urw"};
    struct census all = by_brute_force(p, f);
    for (size_t i = 0; i < RD_COUNT(exhaustive); i++) {
        struct census c = by_search(p, f, exhaustive[i], 0);
        unit_count(p->name, "preemptions elsewhere", c.elsewhere, 0);
        unit_count(p->name, exhaustive[i], c.count, all.count);
        unit_count(p->name, "the set of schedules", c.sum, all.sum);
        for (uint32_t k = 0; k < SIM_PREEMPTIONS; k++)
            unit_count(p->name, "schedules by preemptions", c.by[k], all.by[k]);
    }
    for (size_t i = 0; i < RD_COUNT(samplers); i++)
        unit_count(p->name, samplers[i], by_search(p, f, samplers[i], 40).elsewhere, 0);
    return all.count + all.elsewhere;
}

static void runs_exactly_the_schedules_in_focus(void **state) {
    (void)state;
    for (size_t i = 0; i < sim_case_count; i++) {
        if (!unit_takes(i, 6))
            continue;
        struct sim_program p = sim_make(sim_cases[i].build, sim_cases[i].n, sim_cases[i].k);
        const struct rd_range focus[] = {sim_focus_var(0), sim_focus_var(1), sim_focus_mutex(0),
                                         sim_focus_thread(1)};
        uint64_t all = 0;
        for (size_t k = 0; k < RD_COUNT(focus) && all < 500; k++) /* large programs: one focus is enough */
            all = compare(&p, &focus[(i + k) % RD_COUNT(focus)]);
    }
}

/* Two threads write three variables each: 20 schedules. With a focus the number is computed by hand. */
static void counts_by_hand(void **state) {
    (void)state;
    struct sim_program p = {.name = "one write in focus"};
    SIM_THREAD(&p, do_write(0, 1), do_write(1, 1), do_write(2, 1));
    SIM_THREAD(&p, do_write(3, 1), do_write(4, 1), do_write(5, 1));
    struct rd_range f = sim_focus_var(1);
    /*
     * A1 | A2 | A3: thread A can be preempted before and after A2, thread B nowhere, so B runs as a whole at one of
     * 4 places.
     */
    unit_count(p.name, "schedules", by_search(&p, &f, "dfs", 0).count, 4);
    f = sim_focus_var(9);
    unit_count(p.name, "schedules without preemptions", by_search(&p, &f, "dfs", 0).count, 2);
}

/* An execution with a focus replays without the focus: its fingerprints cover all enabled threads. */
static void repeats_without_focus(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_lost_update, 0, 0);
    struct rd_range f = sim_focus_var(0);
    struct sim *in = sim_open(), *out = sim_open();
    sim_load(in, &p, &(struct sim_options){.focus = &f, .focus_count = 1}, NULL);
    sim_load(out, &p, &(struct sim_options){.strict = true}, NULL);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        sim_run(in, &(struct rd_plan){.picker = RD_PICK_RANDOM, .seed = seed});
        rd_choices_of_steps(out->prefix, in->rec.steps, in->rec.out->steps);
        sim_run(out, &(struct rd_plan){.picker = RD_PICK_STAY, .prefix_count = in->rec.out->steps});
        assert_int_equal(out->rec.out->verdict, in->rec.out->verdict);
        assert_int_equal(out->rec.out->steps, in->rec.out->steps);
        assert_int_equal(out->rec.out->class_hash[0], in->rec.out->class_hash[0]);
    }
    sim_close(in);
    sim_close(out);
}

static int reg0(const int *reg) { return reg[0]; }

/* A thread that waits for another thread in a loop, outside the focus, does not run alone for ever. */
static void fair_tail_is_free(void **state) {
    (void)state;
    struct sim_program p = {.name = "spin without yield"};
    SIM_THREAD(&p, do_label(0), do_read(0, 0), do_if_zero(reg0, 0));
    SIM_THREAD(&p, do_write(0, 1));
    struct rd_range f = sim_focus_var(5);
    struct sim *s = sim_open();
    sim_load(s, &p, &(struct sim_options){.focus = &f, .focus_count = 1, .fair_after = 50}, NULL);
    sim_run(s, &(struct rd_plan){.picker = RD_PICK_STAY});
    assert_int_equal(s->rec.out->verdict, RD_PASSED);
    assert_true(s->rec.out->fair_tail);
    sim_close(s);
}

static void who_may(void **state) {
    (void)state;
    static const struct {
        const char *strategy;
        bool may;
    } rows[] = {{"auto", true},    {"dfs", true},       {"icb:c=2,csb=1", true}, {"delay:d=1", true},
                {"best:pb", true}, {"random", true},    {"icb:cache", false},    {"icb:sleep", false},
                {"dpor", false},   {"bpor:c=1", false}, {"exitblock", false},    {"pct:d=2", false},
                {"profile", false}};
    for (size_t i = 0; i < RD_COUNT(rows); i++) {
        struct rd_params params;
        struct rd_error error;
        const struct rd_search *s = rd_search_parse(rows[i].strategy, &params, &error);
        assert_non_null(s);
        unit_count(rows[i].strategy, "may focus", rd_search_may_focus(s, &params), rows[i].may);
    }
}

int test_focus(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_exactly_the_schedules_in_focus),
        cmocka_unit_test(counts_by_hand),
        cmocka_unit_test(repeats_without_focus),
        cmocka_unit_test(fair_tail_is_free),
        cmocka_unit_test(who_may),
    };
    return cmocka_run_group_tests_name("focus", tests, NULL, NULL);
}
