/*
 * test_depth.c - depth-first search with a bound on the length, iterative depth bounding, and the finished part of
 * a search: the weighted backtrack estimate, whose values were computed beforehand.
 */
#include "unit.h"

#include "search/tree_estimate.h"
#include "sim_search.h"

#include <math.h>
#include <string.h>

/* Executions are cut after `depth` operations; each sequence of operations up to there comes once. */
static void a_depth_cuts_executions(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_independent, 2, 3);
    static const struct {
        const char *strategy;
        uint64_t executions;
        uint32_t steps;
    } rows[] = {
        {"dfs:depth=1", 2, 1},  {"dfs:depth=2", 4, 2},  {"dfs:depth=3", 8, 3},  {"dfs:depth=4", 14, 4},
        {"dfs:depth=5", 20, 5}, {"dfs:depth=6", 20, 6}, {"dfs:depth=0", 20, 6}, {"dfs", 20, 6},
    };
    for (size_t i = 0; i < RD_COUNT(rows); i++) {
        struct sim_search s = sim_search_open(&p, rows[i].strategy, NULL);
        while (sim_search_next(&s)) {
            unit_count(rows[i].strategy, "steps", s.sim->rec.out->steps, rows[i].steps);
            assert_int_equal(s.cut, rows[i].steps < 6);
        }
        unit_count(p.name, rows[i].strategy, s.executions, rows[i].executions);
        struct rd_claim c = sim_search_claim(&s);
        assert_int_equal(c.complete, rows[i].steps == 6);
        if (!c.complete)
            assert_int_equal(c.depth, rows[i].steps);
        sim_search_close(&s);
    }
}

static void depths_are_claimed(void **state) {
    (void)state;
    /* one thread has two steps, the other has one; the assertion is at the end */
    struct sim_program p = sim_make(sim_rank2, 0, 0);
    struct sim_search s = sim_search_open(&p, "dfs:depth=2", NULL);
    sim_search_rest(&s);
    struct rd_claim c = sim_search_claim(&s);
    assert_string_equal(c.proved,
                        "what every execution does in its first 2 operations was covered (3 executions); a "
                        "bug that was missed comes later");
    sim_search_close(&s);
    s = sim_search_open(&p, "dfs", NULL);
    assert_true(sim_search_next(&s));
    c = sim_search_claim(&s);
    assert_string_equal(c.proved, "");
    assert_int_equal(c.depth, -1);
    sim_search_rest(&s);
    c = sim_search_claim(&s);
    assert_string_equal(c.proved, "every execution was covered (3 executions)");
    assert_true(c.complete && c.done == 1 && c.estimate == 3);
    sim_search_close(&s);
}

static void idfs_goes_deeper_until_no_execution_is_cut(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_independent, 2, 3);
    struct sim_search s = sim_search_open(&p, "idfs:step=2", NULL);
    static const uint64_t rounds[] = {4, 14, 20};
    uint64_t sum = 0;
    struct rd_claim c;
    for (unsigned i = 0; i < RD_COUNT(rounds); i++) {
        for (uint64_t n = 0; n < rounds[i]; n++) {
            assert_true(sim_search_next(&s));
            unit_count(p.name, "steps", s.sim->rec.out->steps, 2 * i + 2);
            c = sim_search_claim(&s);
            assert_true(c.depth == (i ? 2 * (int32_t)i : -1) && !c.complete);
        }
        sum += rounds[i];
    }
    assert_false(sim_search_next(&s));
    c = sim_search_claim(&s);
    assert_true(c.complete && s.executions == sum);
    assert_string_equal(c.proved, "every execution was covered (20 executions)");
    sim_search_close(&s);

    s = sim_search_open(&p, "idfs:step=2,depth=3", NULL);
    sim_search_rest(&s);
    c = sim_search_claim(&s);
    assert_true(!c.complete && c.depth == 3 && s.executions == 4 + 8);
    sim_search_close(&s);
}

static void idfs_runs_everything_in_the_end(void **state) {
    (void)state;
    for (size_t i = 0; i < sim_case_count; i++) {
        if (!unit_takes(i, 4))
            continue;
        struct sim_program p = sim_make(sim_cases[i].build, sim_cases[i].n, sim_cases[i].k);
        struct sim_result all, r;
        sim_enumerate(&p, NULL, &all);
        sim_explore(&p, "idfs:step=3", NULL, &r);
        unit_count(p.name, "schedules", r.schedules, all.schedules);
        assert_true(r.complete && r.schedule_sum == all.schedule_sum);
        sim_explore(&p, "idfs:step=1000", NULL, &r);
        unit_count(p.name, "executions", r.executions, all.executions);
    }
}

struct walk {
    struct sim *sim;
    int n, k;
    struct rd_tree_estimate estimate;
    const double *expected; /* by number of executions; 0: not compared */
};

/* All interleavings in the order of the threads' numbers. */
static void walk(struct walk *w, rd_tid *tids, int at, int *left) {
    if (at < w->n * w->k) {
        for (int t = 0; t < w->n; t++) {
            if (!left[t])
                continue;
            left[t]--;
            tids[at] = (rd_tid)(t + 1);
            walk(w, tids, at + 1, left);
            left[t]++;
        }
        return;
    }
    sim_run_threads(w->sim, tids, (uint32_t)at);
    rd_tree_estimate_add(&w->estimate, &w->sim->rec);
    struct rd_claim c = {0};
    rd_tree_estimate_claim(&w->estimate, false, &c);
    double expected = w->expected[w->estimate.executions];
    if (expected > 0 && fabs(c.estimate - expected) > 0.005)
        print_error("%dx%d: after %llu: %f, expected %f\n", w->n, w->k, (unsigned long long)w->estimate.executions,
                    c.estimate, expected);
    assert_true(expected == 0 || fabs(c.estimate - expected) <= 0.005);
}

static void the_weighted_backtrack_estimate(void **state) {
    (void)state;
    static const double two[7] = {[1] = 4, [2] = 5.33, [3] = 6, [5] = 6.67, [6] = 6};
    static const double three[91] = {[1] = 36, [2] = 48, [3] = 54, [5] = 60, [10] = 60, [45] = 90, [90] = 90};
    for (int n = 2; n <= 3; n++) {
        struct sim_program p = sim_make(sim_independent, n, 2);
        struct walk w = {.sim = sim_open(), .n = n, .k = 2, .expected = n == 2 ? two : three};
        rd_tid tids[6];
        sim_load(w.sim, &p, NULL, NULL);
        walk(&w, tids, 0, (int[]){2, 2, 2});
        unit_count(p.name, "executions", w.estimate.executions, n == 2 ? 6 : 90);
        sim_close(w.sim);
    }
}

/*
 * Sums for the mean and the deviation of the estimate of one random execution, over all executions with their
 * probabilities.
 */
static void note_weight(void *ctx, const struct sim *s) {
    double weight = rd_tree_estimate_weight(&s->rec), *sums = ctx;
    sums[0] += weight * (1 / weight);
    sums[1] += weight * (1 / weight) * (1 / weight);
}

static void the_estimate_of_a_random_walk(void **state) {
    (void)state;
    static const struct {
        sim_build build;
        int n;
        double leaves, deviation;
    } known[] = {{sim_independent, 2, 6, 2.0},
                 {sim_independent, 3, 90, 45.3},
                 {sim_rank12, 0, 52, 39.8},
                 {sim_reorder, 2, 82, 44.4}};
    for (size_t i = 0; i < RD_COUNT(known); i++) {
        struct sim_program p = sim_make(known[i].build, known[i].n, 2);
        double sums[2] = {0, 0};
        struct sim_options o = {.seen = note_weight, .ctx = sums};
        struct sim_result r;
        sim_enumerate(&p, &o, &r);
        assert_true(fabs(sums[0] - known[i].leaves) < 1e-9);
        assert_true(fabs(sqrt(sums[1] - sums[0] * sums[0]) - known[i].deviation) < 0.05);
    }
    struct sim_program p = sim_make(sim_independent, 3, 2);
    struct sim_search s = sim_search_open(&p, "random", NULL);
    for (int i = 0; i < 4000; i++)
        assert_true(sim_search_next(&s));
    double error = 4 * 45.3 / sqrt(4000);
    assert_true(fabs(sim_search_claim(&s).estimate - 90) < error);
    sim_search_close(&s);
}

static void a_search_says_how_much_there_is(void **state) {
    (void)state;
    static const double expected[] = {4, 16.0 / 3, 6, 16.0 / 3, 40.0 / 7, 6};
    struct sim_program p = sim_make(sim_independent, 2, 2);
    struct sim_search s = sim_search_open(&p, "dfs", NULL);
    for (size_t i = 0; i < RD_COUNT(expected); i++) {
        assert_true(sim_search_next(&s));
        struct rd_claim c = sim_search_claim(&s);
        assert_true(fabs(c.estimate - expected[i]) < 1e-9);
        assert_true(fabs(c.done * c.estimate - (double)s.executions) < 1e-9);
    }
    sim_search_close(&s);
}

/* The weights of all executions add up to exactly 1. */
static void the_finished_part_is_a_fraction(void **state) {
    (void)state;
    for (size_t i = 0; i < sim_case_count; i++) {
        struct sim_program p = sim_make(sim_cases[i].build, sim_cases[i].n, sim_cases[i].k);
        struct sim_search s = sim_search_open(&p, "dfs", NULL);
        double last = 0;
        while (sim_search_next(&s)) {
            struct rd_claim c = sim_search_claim(&s);
            assert_true(c.done > last && c.done <= 1);
            last = c.done;
        }
        assert_true(fabs(last - 1) < 1e-9);
        struct rd_claim c = sim_search_claim(&s);
        assert_true(c.done == 1 && fabs(c.estimate - (double)s.executions) < 1e-6);
        sim_search_close(&s);
    }
}

int test_depth(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_depth_cuts_executions),
        cmocka_unit_test(depths_are_claimed),
        cmocka_unit_test(idfs_goes_deeper_until_no_execution_is_cut),
        cmocka_unit_test(idfs_runs_everything_in_the_end),
        cmocka_unit_test(the_weighted_backtrack_estimate),
        cmocka_unit_test(the_estimate_of_a_random_walk),
        cmocka_unit_test(a_search_says_how_much_there_is),
        cmocka_unit_test(the_finished_part_is_a_fraction),
    };
    return cmocka_run_group_tests_name("depth", tests, NULL, NULL);
}
