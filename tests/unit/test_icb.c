/*
 * test_icb.c - iterative context bounding: the order of the paper's algorithm, every schedule once, the claim after
 * each bound, the cache, and the memory budget. The numbers were computed with another implementation.
 */
#include "unit.h"

#include "sim_search.h"

#include <string.h>

/* The number of executions until the first failing one, and its preemptions. */
static void the_first_bug_comes_where_the_paper_has_it(void **state) {
    (void)state;
    static const struct {
        sim_build build;
        int n;
        uint64_t number;
        uint32_t preemptions;
    } rows[] = {
        {sim_split_sync, 0, 3, 1}, {sim_abba, 0, 4, 1},    {sim_rank3, 0, 5, 2},         {sim_rank4, 0, 9, 2},
        {sim_rank10, 0, 27, 2},    {sim_rank12, 0, 12, 2}, {sim_philosophers, 3, 23, 1}, {sim_reorder, 2, 11, 1},
        {sim_two_stage, 1, 5, 1},  {sim_rapos1, 0, 1, 0},
    };
    for (size_t i = 0; i < RD_COUNT(rows); i++) {
        struct sim_program p = sim_make(rows[i].build, rows[i].n, 0);
        struct sim_result r;
        sim_explore(&p, "icb", NULL, &r);
        unit_count(p.name, "first failure", r.first_failure, rows[i].number);
        unit_count(p.name, "its preemptions", r.fewest_preemptions, rows[i].preemptions);
    }
}

enum { LARGE = 500 };

struct order {
    const char *name;
    uint32_t csb, phase;
};

static void phases_ascend(void *ctx, const struct sim *s) {
    struct order *o = ctx;
    uint32_t phase = s->rec.out->preemptions / (o->csb + 1);
    if (phase < o->phase)
        unit_count(o->name, "phase of an execution", phase, o->phase);
    o->phase = phase;
}

/* Phase i runs all executions with at most (i + 1) csb + i preemptions that no earlier phase has run. */
static void every_schedule_once_in_the_order_of_preemptions(void **state) {
    (void)state;
    for (size_t i = 0; i < sim_case_count; i++) {
        if (!unit_takes(i, 4))
            continue;
        struct sim_program p = sim_make(sim_cases[i].build, sim_cases[i].n, sim_cases[i].k);
        struct sim_result r, all;
        sim_enumerate(&p, NULL, &all);
        static const char *const strategies[] = {"icb", "icb:csb=1", "icb:csb=2"};
        for (uint32_t csb = 0; csb < RD_COUNT(strategies); csb++) {
            struct order o = {p.name, csb, 0};
            if (all.executions > LARGE && csb != i % 3)
                continue; /* in large programs one strategy is enough */
            sim_explore(&p, strategies[csb], &(struct sim_options){.seen = phases_ascend, .ctx = &o}, &r);
            unit_count(p.name, "executions", r.executions, all.executions);
            unit_count(p.name, "repeated", r.repeated, 0);
            assert_true(r.complete && r.schedule_sum == all.schedule_sum);
        }
    }
}

/* … also with timed waits that may time out early, spurious wake-ups and the choice of a waiter. */
static void every_schedule_once_with_more_to_choose(void **state) {
    (void)state;
    struct sim_program p = {.name = "timed"};
    enum { M, S = 0, X = 0 };
    SIM_THREAD(&p, do_lock(M), do_write(X, 1), do_unlock(M));
    SIM_THREAD(&p, do_timedlock(M, 100, 0), do_sem_timedwait(S, 200, 1));
    SIM_THREAD(&p, do_sem_post(S));
    struct sim_program q = sim_make(sim_consumers, 0, 0);
    struct sim_options o[] = {{.timeouts = 2}, {.spurious = 2}};
    const struct sim_program *programs[] = {&p, &q};
    static const char *const strategies[] = {"icb", "icb:csb=1", "delay", "best", "best:pb", "best:rand,dpor,ss"};
    for (unsigned i = 0; i < 2; i++) {
        struct sim_result r, all;
        sim_enumerate(programs[i], &o[i], &all);
        for (size_t k = 0; k < RD_COUNT(strategies); k++) {
            sim_explore(programs[i], strategies[k], &o[i], &r);
            unit_count(programs[i]->name, strategies[k], r.executions, all.executions);
            unit_count(programs[i]->name, "repeated", r.repeated, 0);
            assert_true(r.complete && r.schedule_sum == all.schedule_sum);
        }
    }
}

struct within {
    sim_build build;
    int n, k;
    uint64_t within[3]; /* schedules with at most 0, 1, 2 preemptions */
};

/* Each bound must run exactly the schedules within it, each once. */
static void check_within(const struct sim_program *p, const uint64_t *within) {
    static const char *const strategies[] = {"icb:c=0", "icb:c=1", "icb:c=2"};
    for (uint32_t c = 0; c < 3; c++) {
        struct sim_result r;
        sim_explore(p, strategies[c], &(struct sim_options){.asserts_go_on = true}, &r);
        unit_count(p->name, strategies[c], r.executions, within[c]);
        unit_count(p->name, "repeated", r.repeated, 0);
        assert_true(r.complete);
    }
}

static void a_bound_covers_all_schedules_within_it(void **state) {
    (void)state;
    static const struct within rows[] = {
        {sim_independent, 2, 2, {2, 4, 6}},
        {sim_independent, 3, 2, {6, 24, 60}},
        {sim_rapos1, 0, 0, {2, 5, 5}},
        {sim_rank4, 0, 0, {2, 6, 14}},
        {sim_rank10, 0, 0, {6, 24, 30}},
        {sim_rank12, 0, 0, {2, 8, 20}},
        {sim_philosophers, 3, 0, {6, 57, 129}},
        {sim_readers, 3, 0, {24, 24, 24}},
        {sim_last_zero, 3, 0, {24, 142, 451}},
        {sim_reorder, 3, 0, {24, 168, 672}},
        {sim_bluetooth, 0, 0, {2, 9, 17}},
        {sim_ring, 4, 0, {24, 168, 672}},
        {sim_philosophers, 4, 0, {24, 512, 3116}},
        {sim_last_zero, 4, 0, {120, 1166, 5940}},
    };
    for (size_t i = 0; i < RD_COUNT(rows); i++) {
        struct sim_program p = sim_make(rows[i].build, rows[i].n, rows[i].k);
        check_within(&p, rows[i].within);
    }
}

/* A main thread that creates and joins the others can be preempted, too. */
static void bounds_with_a_main_thread(void **state) {
    (void)state;
    static const struct within rows[] = {
        {sim_independent, 2, 2, {3, 8, 15}},
        {sim_abba, 0, 0, {3, 12, 24}},
        {sim_split_sync, 0, 0, {3, 13, 33}},
        {sim_reorder, 2, 0, {13, 76, 264}},
    };
    for (size_t i = 0; i < RD_COUNT(rows); i++) {
        struct sim_program bare = sim_make(rows[i].build, rows[i].n, rows[i].k), p;
        sim_with_main(&p, &bare, false);
        check_within(&p, rows[i].within);
    }
}

static void a_finished_bound_is_claimed(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_independent, 2, 2);
    struct sim_search s = sim_search_open(&p, "icb:c=1", NULL);
    assert_true(sim_search_next(&s));
    struct rd_claim c = sim_search_claim(&s);
    assert_int_equal(c.preemptions, -1);
    assert_string_equal(c.proved, "");
    assert_true(sim_search_next(&s));
    c = sim_search_claim(&s);
    assert_int_equal(c.preemptions, 0);
    assert_false(c.complete);
    assert_string_equal(c.proved, "every execution without a preemption was covered (2 executions); a bug that was "
                                  "missed needs at least 1");
    sim_search_rest(&s);
    c = sim_search_claim(&s);
    assert_int_equal(c.preemptions, 1);
    assert_int_equal(c.delays, -1);
    assert_false(c.complete || c.incomplete);
    assert_string_equal(c.proved,
                        "every execution with at most 1 preemption was covered (4 executions); a bug that "
                        "was missed needs at least 2");
    sim_search_close(&s);
    static const char *const all[] = {"icb", "icb:c=2", "icb:c=7", "icb:csb=1"};
    for (size_t i = 0; i < RD_COUNT(all); i++) {
        s = sim_search_open(&p, all[i], NULL);
        sim_search_rest(&s);
        c = sim_search_claim(&s);
        assert_true(c.complete && c.preemptions >= 2 && c.voids[0] == 0);
        assert_string_equal(c.proved, "every execution was covered (6 executions)");
        sim_search_close(&s);
    }
    p = sim_make(sim_reorder, 3, 0);
    s = sim_search_open(&p, "icb:c=3", NULL);
    sim_search_rest(&s);
    c = sim_search_claim(&s);
    assert_non_null(strstr(c.proved, "at most 3 preemptions was covered (1,380 executions)"));
    sim_search_close(&s);
}

/* With csb, phase i covers (i + 1) csb + i preemptions. */
static void phases_are_claimed(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_independent, 2, 4);
    struct sim_search s = sim_search_open(&p, "icb:csb=1", NULL);
    static const uint64_t within[] = {2, 8, 26, 44, 62, 68, 70};
    int32_t last = -1;
    while (sim_search_next(&s)) {
        struct rd_claim c = sim_search_claim(&s);
        if (c.preemptions == last)
            continue;
        last = c.preemptions;
        assert_true(c.complete || last % 2 == 1);
        unit_count(p.name, "executions within the phases", s.executions, within[RD_MIN(last, 6)]);
    }
    assert_true(last >= 6);
    sim_search_close(&s);
}

/* With the cache the search reaches every class and every final state within the bound, in fewer executions. */
static void the_cache_loses_no_class(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"icb:c=0", "icb:c=0,cache"}, {"icb:c=1", "icb:c=1,cache"}, {"icb:c=2", "icb:cache,c=2"},
        {"icb", "icb:cache"},         {"icb", "icb:cache,csb=1"},
    };
    uint64_t with = 0, without = 0;
    for (size_t i = 0; i < sim_case_count; i++) {
        if (!unit_takes(i, 5))
            continue;
        struct sim_program p = sim_make(sim_cases[i].build, sim_cases[i].n, sim_cases[i].k);
        for (size_t k = 0; k < RD_COUNT(pairs); k++) {
            struct sim_result all, r;
            sim_explore(&p, pairs[k][0], NULL, &all);
            if (all.executions > LARGE && k > 3)
                continue;
            sim_explore(&p, pairs[k][1], NULL, &r);
            unit_count(p.name, pairs[k][1], r.classes, all.classes);
            unit_count(p.name, "final states", r.finals, all.finals);
            unit_count(p.name, "failing classes", r.failing_classes, all.failing_classes);
            unit_count(p.name, "fewest preemptions", r.fewest_preemptions, all.fewest_preemptions);
            unit_count(p.name, "repeated", r.repeated, 0);
            assert_true(r.complete && r.executions <= all.executions);
            with += r.executions;
            without += all.executions;
        }
    }
    assert_true(with * 3 < without * 2);
}

/*
 * The paper's cache uses the state alone as its key: then the first step would be pruned because its state is known
 * already.
 */
static void trap_7_a_cache_keyed_by_the_state_alone_prunes_everything(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_rank12, 0, 0);
    struct sim_result r;
    sim_explore(&p, "icb:cache", NULL, &r);
    unit_count(p.name, "classes", r.classes, 14);
    assert_true(r.asserts > 0 && r.complete);
    p = sim_make(sim_independent, 2, 2);
    sim_explore(&p, "icb:cache", NULL, &r);
    assert_true(r.executions >= 2); /* the thread is part of the key … */
    p = sim_make(sim_rank3, 0, 0);
    sim_explore(&p, "icb:cache,c=2", NULL, &r);
    assert_true(r.asserts > 0); /* … and so is the rest of the bound */
}

/* Reads and writes of a and b: (a a b b) against (a b a b). */
static void two_variables(struct sim_program *p, struct sim_arg a) {
    (void)a;
    *p = (struct sim_program){.name = "two variables"};
    SIM_THREAD(p, do_read(0, 0), do_write(0, 1), do_read(1, 0), do_write(1, 1));
    SIM_THREAD(p, do_write(0, 2), do_write(1, 2), do_read(0, 0), do_read(1, 0));
}

/* At most c preemptions at at most v variables, also by the paper's literal rule. */
static void preemptions_at_few_variables(void **state) {
    (void)state;
    static const struct {
        sim_build build;
        const char *strategy;
        uint64_t within;
        bool fails;
    } rows[] = {
        {sim_rank4, "icb:c=2,v=0", 2, false},
        {sim_rank4, "icb:c=2,v=1", 10, false},
        {sim_rank4, "icb:c=2,v=2", 14, true},
        {sim_rank4, "icb:c=3,v=0", 2, false},
        {sim_rank4, "icb:c=3,v=1", 11, false},
        {sim_rank4, "icb:c=3,v=2", 18, true},
        {sim_rank4, "icb:c=3,v=2,vb=literal", 16, true},
        {sim_rank12, "icb:c=2,v=0", 2, false},
        {sim_rank12, "icb:c=2,v=1", 20, true},
        {sim_rank10, "icb:c=2,v=0", 6, false},
        {sim_rank10, "icb:c=2,v=1", 26, false},
        {sim_rank10, "icb:c=2,v=2", 30, true},
        {two_variables, "icb:c=3,v=0", 2, false},
        {two_variables, "icb:c=3,v=1", 22, false},
        {two_variables, "icb:c=3,v=2", 44, false},
        {two_variables, "icb:vb=literal,v=2,c=3", 37, false},
    };
    for (size_t i = 0; i < RD_COUNT(rows); i++) {
        struct sim_program p = sim_make(rows[i].build, 0, 0);
        struct sim_result r;
        sim_explore(&p, rows[i].strategy, NULL, &r);
        unit_count(p.name, rows[i].strategy, r.executions, rows[i].within);
        unit_count(p.name, "repeated", r.repeated, 0);
        assert_true(r.complete && (r.asserts > 0) == rows[i].fails);
    }
}

static void claims(const struct sim_program *p, const char *strategy, int32_t preemptions, const char *sentence) {
    struct sim_search s = sim_search_open(p, strategy, NULL);
    sim_search_rest(&s);
    struct rd_claim c = sim_search_claim(&s);
    assert_string_equal(c.proved, sentence);
    assert_int_equal(c.preemptions, preemptions);
    assert_int_equal(c.complete, strncmp(sentence, "every execution was", 19) == 0);
    sim_search_close(&s);
}

/* A number of preemptions is claimed only as far as no variable was left out. */
static void few_variables_are_claimed(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_rank4, 0, 0);
    claims(
        &p, "icb:v=0", 0,
        "every execution without a preemption was covered (2 executions); a bug that was missed needs at least 1");
    claims(
        &p, "icb:c=2,v=1", 1,
        "every execution with at most 2 preemptions at at most 1 variable was covered (10 executions); a bug that "
        "was missed needs more of either");
    claims(
        &p, "icb:v=1", 1,
        "every execution with preemptions at at most 1 variable was covered (11 executions); a bug that was missed "
        "needs more variables");
    claims(&p, "icb:c=3,v=2,vb=literal", 2,
           "every execution with at most 3 preemptions, all but the first 2 at the variables of those, was covered "
           "(16 "
           "executions); a bug that was missed needs more of either");
    claims(&p, "icb:c=2,v=2", 2,
           "every execution with at most 2 preemptions was covered (14 executions); a bug that was missed needs at "
           "least 3");
    claims(&p, "icb:v=2", 4, "every execution was covered (20 executions)");
}

static void bad_bounds_are_refused(void **state) {
    (void)state;
    static const char *const bad[][2] = {
        {"icb:v=65", "'v' of icb must be at most 64"},
        {"icb:v=1,cache", "'v' cannot be used together with 'cache' or 'sleep'"},
        {"icb:sleep,v=1", "'v' cannot be used together with 'cache' or 'sleep'"},
        {"icb:vb=literal", "'vb' of icb can only be 'literal', and needs 'v'"},
        {"icb:v=1,vb=exact", "'vb' of icb can only be 'literal', and needs 'v'"},
    };
    for (size_t i = 0; i < RD_COUNT(bad); i++) {
        struct rd_params params = {.seed = 1};
        struct rd_error error;
        assert_null(rd_search_parse(bad[i][0], &params, &error));
        assert_string_equal(error.text, bad[i][1]);
    }
}

/* Runs the search within so many nodes, and counts its executions by their cost. */
static struct rd_claim count_by_cost(const struct sim_program *p, const char *strategy, uint64_t nodes,
                                     uint64_t by[16]) {
    struct sim_search s = sim_search_open(p, strategy, NULL);
    s.params.memory_max = nodes * sizeof(struct rd_delta_tree_node);
    memset(by, 0, 16 * sizeof *by);
    while (sim_search_next(&s))
        by[RD_MIN(s.sim->rec.out->preemptions, 15u)]++;
    struct rd_claim c = sim_search_claim(&s);
    sim_search_close(&s);
    return c;
}

/* Whatever was given up, every execution up to the bound that is claimed was run. */
static void a_claim_without_memory_is_true(void **state) {
    (void)state;
    static const struct {
        sim_build build;
        int n, k;
    } programs[] = {{sim_independent, 3, 3}, {sim_philosophers, 3, 0}, {sim_reorder, 2, 0}};
    static const char *const strategies[] = {"icb", "icb:csb=1", "best:pb"};
    uint32_t partial = 0;
    for (size_t i = 0; i < RD_COUNT(programs); i++) {
        struct sim_program p = sim_make(programs[i].build, programs[i].n, programs[i].k);
        for (size_t k = 0; k < RD_COUNT(strategies); k++) {
            uint64_t all[16], some[16];
            assert_true(count_by_cost(&p, strategies[k], 1 << 20, all).complete);
            for (uint64_t nodes = 4; nodes < 120; nodes += 3) {
                struct rd_claim c = count_by_cost(&p, strategies[k], nodes, some);
                bool same = memcmp(all, some, sizeof all) == 0;
                for (int32_t b = 0; b <= c.preemptions && b < 16; b++)
                    unit_count(strategies[k], "executions of the bound", some[b], all[b]);
                assert_true(c.complete == same && c.incomplete == (c.preemptions < 0));
                partial += c.preemptions >= 0 && !same;
            }
        }
    }
    assert_true(partial > 50);
}

static void without_memory_the_claim_ends(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_independent, 3, 3);
    struct sim_search s = sim_search_open(&p, "icb", NULL);
    s.params.memory_max = 32 * sizeof(struct rd_delta_tree_node);
    sim_search_rest(&s);
    struct rd_claim c = sim_search_claim(&s);
    const struct rd_delta_tree *t = sim_search_tree(&s);
    assert_true(c.given_up && !c.complete && c.incomplete == (c.preemptions < 0));
    assert_true(t->lost > 0 && t->alive_max <= 33 && t->alive == 0 && t->created == t->destroyed);
    assert_true(s.executions >= 6 && s.executions + t->lost == t->created);
    sim_search_close(&s);
    s = sim_search_open(&p, "icb", NULL);
    s.params.memory_max = 1 << 20; /* enough memory */
    sim_search_rest(&s);
    assert_true(sim_search_claim(&s).complete);
    unit_count(p.name, "executions", s.executions, 1680);
    sim_search_close(&s);
}

int test_icb(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_bug_comes_where_the_paper_has_it),
        cmocka_unit_test(every_schedule_once_in_the_order_of_preemptions),
        cmocka_unit_test(every_schedule_once_with_more_to_choose),
        cmocka_unit_test(a_bound_covers_all_schedules_within_it),
        cmocka_unit_test(bounds_with_a_main_thread),
        cmocka_unit_test(a_finished_bound_is_claimed),
        cmocka_unit_test(phases_are_claimed),
        cmocka_unit_test(the_cache_loses_no_class),
        cmocka_unit_test(trap_7_a_cache_keyed_by_the_state_alone_prunes_everything),
        cmocka_unit_test(preemptions_at_few_variables),
        cmocka_unit_test(few_variables_are_claimed),
        cmocka_unit_test(bad_bounds_are_refused),
        cmocka_unit_test(a_claim_without_memory_is_true),
        cmocka_unit_test(without_memory_the_claim_ends),
    };
    return cmocka_run_group_tests_name("context bounding", tests, NULL, NULL);
}
