/*
 * test_team.c - several workers on one search: together they run the executions of one worker, no more and no less,
 * with the same claim. Other tests compare one worker with brute force; here brute force is used where every
 * schedule must be run. The order of turns is random, from fixed seeds.
 */
#include "unit.h"

#include "sim_total.h"
#include "unit_world.h"

#include "search/visited.h"

#include <stdlib.h>
#include <string.h>

enum { TURNS = 3 };  /* number of seeds for each program */
enum { MOST = 200 }; /* schedules of a program: the fuzzer runs larger ones */

static void every_schedule_once(void **state) {
    static const char *const strategies[] = {
        "dfs",       "icb",     "icb:c=1",     "icb:csb=1",           "delay",
        "delay:d=2", "best:pb", "idfs:step=3", "idfs:step=2,depth=5", "idfs:step=1000"};
    uint64_t helped = 0;
    (void)state;
    for (size_t i = 0; i < sim_case_count; i++) {
        if (!unit_takes(i, 12))
            continue;
        struct total_case c;
        bool small = total_case(&c, i, MOST);
        for (size_t k = 0; k < RD_COUNT(strategies) && small; k++) {
            struct totals n = total_by_both(&c.program, strategies[k], &c.options, i + k);
            unit_count(strategies[k], "executions", n.team.executions, n.one.executions);
            unit_count(strategies[k], "schedules", n.team.sum, n.one.sum);
            unit_count(strategies[k], "cut", n.team.cut, n.one.cut);
            if (strchr(strategies[k], '=') == NULL)
                unit_count(strategies[k], "of brute force", n.team.sum, c.all.schedule_sum);
            total_same_claim(strategies[k], &n.team.claim, &n.one.claim);
            helped += n.team.helped;
        }
    }
    assert_true(helped > (unit_is_slow() ? 1000u : 30u)); /* the other workers had their share */
}

/* The other workers join when the first has a stack of nodes, some of which have unexplored branches. */
static void classes_when_others_come_late(void **state) {
    static const struct { unsigned n, classes; } sizes[] = {{4, 28}, {5, 64}};
    (void)state;
    for (size_t i = 0; i < RD_COUNT(sizes); i++) {
        struct sim_program p = sim_make(sim_last_zero, sizes[i].n, 0);
        struct sim_options o = {.asserts_go_on = true};
        for (uint64_t turns = 0; turns < (unit_is_slow() ? 400 : 50); turns++) {
            struct total n = total_by_team(&p, "dpor:optimal", &o, 2, turns);
            unit_count("last zero", "classes", n.classes, sizes[i].classes);
            unit_count("last zero", "executions", n.executions, sizes[i].classes);
            assert_true(n.claim.complete);
        }
    }
}

static void every_class_once(void **state) {
    static const struct sim_case cases[] = {
        {sim_critical, 2, 4},     {sim_critical, 3, 2}, {sim_readers, 5, 0},
        {sim_last_zero, 4, 0},    {sim_ring, 4, 0},     {sim_reorder, 3, 0},
        {sim_philosophers, 3, 0}, {sim_slot, 2, 0},     {sim_all_conflict, 2, 4}};
    uint64_t helped = 0;
    (void)state;
    for (size_t i = 0; i < RD_COUNT(cases); i++) {
        struct sim_program p = sim_make(cases[i].build, cases[i].n, cases[i].k);
        struct sim_options o = {.asserts_go_on = true};
        struct total one = total_by_one(&p, "dpor", &o);
        for (uint64_t turns = 0; turns < 2 * TURNS; turns++) {
            if (!unit_takes(turns, 5))
                continue;
            const char *strategy = turns % 2 ? "dpor:optimal" : "dpor";
            struct total n = total_by_team(&p, strategy, &o, 2 + turns % 3, turns);
            unit_count(strategy, "classes", n.classes, one.classes);
            unit_count(strategy, "executions", n.executions, one.classes);
            assert_true(n.claim.complete);
            assert_string_equal(n.claim.proved, one.claim.proved);
            helped += n.helped;
        }
    }
    assert_true(helped > (unit_is_slow() ? 1000u : 30u));
}

/*
 * Each worker prunes the states that another has covered: the same classes as brute force within the same number of
 * preemptions, with not many more executions than one worker runs, and far fewer than there are schedules.
 */
static void visited_prefixes_are_shared(void **state) {
    static const char *const strategies[] = {"icb:cache", "icb:c=1,cache", "icb:csb=1,cache"};
    uint64_t helped = 0, alone = 0, together = 0;
    (void)state;
    for (size_t i = 0; i < sim_case_count; i++) {
        if (!unit_takes(i, 6))
            continue;
        struct total_case c;
        bool small = total_case(&c, i, 4 * MOST);
        for (size_t k = 0; k < RD_COUNT(strategies) && small; k++) {
            struct totals t = total_by_both(&c.program, strategies[k], &c.options, i + k);
            const struct rd_claim *team = &t.team.claim, *one = &t.one.claim;
            unit_count(strategies[k], "classes", t.team.classes, t.one.classes);
            if (k != 1 && !one->voids[0])
                unit_count(strategies[k], "classes of brute force", t.team.classes, c.all.classes);
            unit_count(strategies[k], "complete", team->complete, one->complete);
            if (!team->complete) /* a complete claim has no bound */
                unit_count(strategies[k], "bound", (uint64_t)team->preemptions, (uint64_t)one->preemptions);
            helped += t.team.helped;
            alone += t.one.executions;
            together += t.team.executions;
        }
    }
    assert_true(helped > (unit_is_slow() ? 1000u : 30u));
    assert_true(together < alone + alone / 4);
}

/* A full part of the map accepts no more keys, and a lookup never reports a key that was not added. */
static void a_full_map_keeps_its_keys(void **state) {
    static char region[1 << 16];
    struct rd_arena a;
    struct rd_visited v;
    uint64_t kept = 0;
    (void)state;
    rd_arena_init(&a, region, sizeof region);
    rd_visited_open(&v, &a, NULL);
    for (uint64_t key = 1; key <= 4000; key++)
        assert_false(rd_visited_claim(&v, key, 1, 2));
    for (uint64_t key = 1; key <= 4000; key++) {
        kept += rd_visited_has(&v, key, 1, 2);
        assert_false(rd_visited_has(&v, key, 1, 1));
        assert_false(rd_visited_has(&v, key, 2, 2));
    }
    assert_true(kept > 500 && kept < 4000);
}

/* Without sleep sets the order of turns does not matter: the executions are exactly those of one worker. */
static void every_bound_as_by_one(void **state) {
    static const struct sim_case cases[] = {{sim_critical, 2, 3}, {sim_critical, 3, 2}, {sim_last_zero, 4, 0},
                                            {sim_ring, 4, 0},     {sim_reorder, 3, 0},  {sim_philosophers, 3, 0},
                                            {sim_slot, 2, 0},     {sim_two_stage, 2, 0}};
    static const char *const strategies[] = {"bpor", "bpor:c=1", "bpor:c=2", "dpor:classic"};
    uint64_t helped = 0;
    (void)state;
    for (size_t i = 0; i < RD_COUNT(cases); i++) {
        struct sim_program p = sim_make(cases[i].build, cases[i].n, cases[i].k);
        struct sim_options o = {.asserts_go_on = i % 2};
        for (size_t k = 0; k < RD_COUNT(strategies); k++) {
            if (!unit_takes(i + k, 3))
                continue;
            struct totals t = total_by_both(&p, strategies[k], &o, i + k);
            unit_count(strategies[k], "executions", t.team.executions, t.one.executions);
            unit_count(strategies[k], "schedules", t.team.sum, t.one.sum);
            total_same_claim(strategies[k], &t.team.claim, &t.one.claim);
            helped += t.team.helped;
        }
    }
    assert_true(helped > 300);
}

/*
 * A failing assertion ends an execution, so the wakeup sequences of `optimal` are incomplete, and all workers begin
 * again.
 */
static void all_begin_again_together(void **state) {
    (void)state;
    for (uint64_t turns = 0; turns < 4 * TURNS; turns++) {
        struct sim_program p = sim_make(sim_reorder, 2, 0);
        struct sim_options o = {0};
        struct total one = total_by_one(&p, "dpor:optimal", &o),
                     n = total_by_team(&p, "dpor:optimal", &o, 2 + turns % 3, turns);
        unit_count("reorder", "classes", n.classes, one.classes);
        assert_true(n.claim.complete);
    }
}

/* The executions of a sampler are the same whichever worker runs them, and so is the claim. */
static void draws_are_numbered(void **state) {
    static const char *const strategies[] = {"random", "pos", "rapos"};
    struct sim_program p = sim_make(sim_two_stage, 2, 0);
    struct sim_options o = {.asserts_go_on = true, .executions_max = 300, .seed = 7};
    uint64_t helped = 0;
    (void)state;
    for (size_t k = 0; k < RD_COUNT(strategies); k++) {
        struct total one = total_by_one(&p, strategies[k], &o);
        for (uint64_t turns = 0; turns < TURNS; turns++) {
            struct total n = total_by_team(&p, strategies[k], &o, 2 + turns % 3, turns);
            unit_count(strategies[k], "executions", n.executions, o.executions_max);
            unit_count(strategies[k], "schedules", n.sum, one.sum);
            total_same_claim(strategies[k], &n.claim, &one.claim);
            assert_true(n.claim.estimate >= one.claim.estimate * 0.999999);
            assert_true(n.claim.estimate <= one.claim.estimate * 1.000001);
            helped += n.helped;
        }
    }
    assert_true(helped > (unit_is_slow() ? 100u : 10u));
}

/*
 * Samplers that learn do so in each worker. The numbers of their executions are those of one worker, and the claim
 * is about the executions that were drawn with the same parameters.
 */
static void learners_are_numbered(void **state) {
    static const char *const strategies[] = {"urw", "surw", "rff", "rank:random"};
    struct sim_program p = sim_make(sim_two_stage, 2, 0);
    struct sim_options o = {.asserts_go_on = true, .executions_max = 300, .seed = 7};
    uint64_t helped = 0;
    (void)state;
    for (size_t k = 0; k < RD_COUNT(strategies); k++) {
        struct total one = total_by_one(&p, strategies[k], &o);
        for (uint64_t turns = 0; turns < TURNS; turns++) {
            if (!unit_takes(turns + 1, 2))
                continue;
            struct total n = total_by_team(&p, strategies[k], &o, (uint32_t)(2 + turns % 3), turns);
            unit_count(strategies[k], "executions", n.executions, o.executions_max);
            assert_true(n.classes * 2 > one.classes);
            helped += n.helped;
            assert_true(n.claim.classes <= 1.5 * one.claim.classes + 1);
        }
    }
    assert_true(helped > (unit_is_slow() ? 100u : 10u));
}

/* Only one worker has a failure: no other worker may claim that there was none. */
static void a_failure_of_one_is_one_of_all(void **state) {
    static const char *const strategies[] = {"random", "pos", "urw", "surw", "pct:d=2"};
    struct sim_program p = sim_make(sim_reorder, 2, 0);
    struct sim_options o = {.executions_max = 200, .seed = 1};
    (void)state;
    for (size_t k = 0; k < RD_COUNT(strategies); k++) {
        struct total one = total_by_one(&p, strategies[k], &o);
        assert_string_equal(one.claim.proved, ""); /* so some executions fail */
        for (uint64_t turns = 0; turns < TURNS; turns++) {
            struct total n = total_by_team(&p, strategies[k], &o, (uint32_t)(2 + turns % 3), turns);
            assert_string_equal(n.claim.proved, "");
        }
    }
}

/*
 * The probability that pct claims holds for executions drawn with the numbers n and k that it names; it is larger
 * with smaller ones. Each worker learns those numbers, so the claimed probability is never smaller than if all
 * workers had known them from the start.
 */
static void pct_counts_executions_drawn_alike(void **state) {
    struct sim_program p = sim_make(sim_all_conflict, 3, 2);
    struct sim_options o = {.executions_max = 400, .seed = 3};
    (void)state;
    for (uint64_t turns = 0; turns < TURNS; turns++) {
        struct total n = total_by_team(&p, "pct:d=2", &o, (uint32_t)(2 + turns % 3), turns);
        double found = 1.0 / n.claim.missed_threads / n.claim.missed_points, all = 1;
        for (uint64_t i = 0; i < o.executions_max; i++)
            all *= 1 - found;
        assert_int_equal(n.executions, o.executions_max);
        assert_true(n.claim.missed >= all && n.claim.missed <= 0.5);
    }
}

/* All workers together run as many executions as the budget allows, and claim no more. */
static void a_budget_is_one_for_all(void **state) {
    static const char *const strategies[] = {"dfs", "icb", "delay", "dpor", "dpor:optimal", "pct:d=2"};
    struct sim_program p = sim_make(sim_critical, 3, 2);
    struct sim_options o = {.executions_max = 50};
    (void)state;
    for (size_t k = 0; k < RD_COUNT(strategies); k++) {
        for (uint64_t turns = 0; turns < TURNS; turns++) {
            struct total n = total_by_team(&p, strategies[k], &o, 2 + turns % 3, turns);
            unit_count(strategies[k], "executions", n.executions + n.cut, o.executions_max);
            assert_false(n.claim.complete);
        }
    }
}

static void threads_have_the_same_numbers_everywhere(void **state) {
    static struct unit_world a, b;
    uint64_t common[RD_TID_MAX] = {0};
    (void)state;
    unit_world_new(&a)->common_paths = common;
    unit_world_new(&b)->common_paths = common;
    assert_int_equal(rd_thread_number(&a.w, 0), 1);
    a.w.threads[0].children = b.w.threads[0].children = 1;
    /* the first child of the first child, which world a has not seen yet */
    assert_int_equal(rd_thread_number(&b.w, 1), 2);
    assert_int_equal(rd_thread_number(&a.w, 0), 3);
    assert_int_equal(rd_thread_number(&a.w, 1), 2);
    assert_int_equal(rd_thread_number(&b.w, 0), 3);
    assert_int_equal(a.path_count, 4);
    assert_memory_equal(a.paths, b.paths, 4 * sizeof *a.paths);
}

static void a_key_is_new_once(void **state) {
    static struct rd_hub hub;
    struct rd_team t = {.hub = &hub};
    (void)state;
    for (uint64_t key = 0; key < 1000; key++)
        assert_int_equal(rd_team_first(&t, key / 2 * 3), key % 2 == 0);
}

int test_team(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_schedule_once),
        cmocka_unit_test(every_class_once),
        cmocka_unit_test(visited_prefixes_are_shared),
        cmocka_unit_test(a_full_map_keeps_its_keys),
        cmocka_unit_test(every_bound_as_by_one),
        cmocka_unit_test(learners_are_numbered),
        cmocka_unit_test(a_failure_of_one_is_one_of_all),
        cmocka_unit_test(classes_when_others_come_late),
        cmocka_unit_test(all_begin_again_together),
        cmocka_unit_test(draws_are_numbered),
        cmocka_unit_test(pct_counts_executions_drawn_alike),
        cmocka_unit_test(a_budget_is_one_for_all),
        cmocka_unit_test(threads_have_the_same_numbers_everywhere),
        cmocka_unit_test(a_key_is_new_once),
    };
    return cmocka_run_group_tests_name("several workers", tests, NULL, NULL);
}
