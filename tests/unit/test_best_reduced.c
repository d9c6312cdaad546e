/*
 * test_best_reduced.c - best-first search over partial-order reduction: every class of executions once, in the
 * order of the priorities. A failing assert does not end an execution here, unless the test says so.
 */
#include "unit.h"

#include "sim_search.h"

#include <string.h>

struct row {
    const char *name;
    sim_build build;
    struct sim_arg arg;
    uint64_t classes;
    uint64_t pb, mdpor, rand; /* executions that are cut, by strategy */
    uint64_t asserts, deadlocks;
};

static const struct row rows[] = {
    {"GAMBIT figure 1", sim_independent, {2, 2}, 1, 0, 0, 0, 0, 0},
    {"3x2 independent", sim_independent, {3, 2}, 1, 0, 0, 0, 0, 0},
    {"2x3 conflicting", sim_all_conflict, {2, 3}, 20, 0, 0, 0, 0, 0},
    {"RAPOS figure 1", sim_rapos1, {0, 0}, 2, 0, 0, 0, 1, 0},
    {"Rank figure 4", sim_rank4, {0, 0}, 9, 0, 0, 0, 1, 0},
    {"Rank figure 10", sim_rank10, {0, 0}, 9, 0, 0, 0, 1, 0},
    {"Rank figure 12", sim_rank12, {0, 0}, 18, 0, 0, 0, 6, 0},
    {"lost update", sim_lost_update, {0, 0}, 4, 0, 0, 0, 0, 0},
    {"ABBA", sim_abba, {0, 0}, 3, 0, 0, 0, 0, 1},
    {"philosophers(3)", sim_philosophers, {3, 0}, 7, 0, 0, 0, 0, 1},
    {"philosophers(4)", sim_philosophers, {4, 0}, 15, 0, 0, 0, 0, 1},
    {"readers(5)", sim_readers, {5, 0}, 32, 0, 0, 0, 0, 0},
    {"lastzero(3)", sim_last_zero, {3, 0}, 12, 1, 0, 0, 0, 0},
    {"lastzero(5)", sim_last_zero, {5, 0}, 64, 33, 15, 28, 0, 0},
    {"ring(4)", sim_ring, {4, 0}, 15, 0, 0, 0, 0, 0},
    {"reorder(2)", sim_reorder, {2, 0}, 36, 0, 0, 0, 16, 0},
    {"reorder(3)", sim_reorder, {3, 0}, 576, 0, 0, 0, 216, 0},
    {"reorder_sct(2)", sim_reorder_sct, {2, 0}, 56, 0, 0, 0, 12, 0},
    {"twostage(2)", sim_two_stage, {2, 0}, 28, 0, 0, 0, 8, 0},
    {"critical(3, 2)", sim_critical, {3, 2}, 90, 0, 0, 0, 0, 0},
    {"bluetooth", sim_bluetooth, {0, 0}, 8, 0, 0, 0, 1, 0},
    {"W x | W y; R x | R x", sim_hidden_read, {0, 0}, 4, 0, 0, 0, 0, 0},
};

static void check(const struct row *r, const struct sim_program *p, const char *strategy, uint64_t cut) {
    struct sim_options o = {.asserts_go_on = true};
    struct sim_result got;
    sim_explore(p, strategy, &o, &got);
    assert_true(got.complete);
    unit_count(r->name, "classes", got.classes, r->classes);
    unit_count(r->name, "executions", got.executions, r->classes);
    unit_count(r->name, "cut short", got.cut, cut);
    unit_count(r->name, "failing", got.asserts, r->asserts);
    unit_count(r->name, "deadlocks", got.deadlocks, r->deadlocks);
}

static void each_class_is_run_once(void **state) {
    (void)state;
    for (size_t i = 0; i < RD_COUNT(rows); i++) {
        struct sim_program p = sim_make(rows[i].build, rows[i].arg.n, rows[i].arg.k);
        check(&rows[i], &p, "best:pb,reduce", rows[i].pb);
        check(&rows[i], &p, "best:mdpor,pb,reduce", rows[i].mdpor);
        check(&rows[i], &p, "best:rand,reduce", rows[i].rand);
    }
}

static int r0(const int *r) { return r[0]; }

/* A choice inside an operation is part of the class: every way is run, and the alternatives after each. */
static void every_way_is_run(void **state) {
    (void)state;
    enum { X, Y, OVER = 0 };
    static const uint64_t classes[] = {12, 48, 3};
    struct sim_program p[3] = {
        {.name = "reads around a choice"}, {.name = "two choices"}, {.name = "one way has nothing to do with it"}};
    SIM_THREAD(&p[0], do_write(X, 1));
    SIM_THREAD(&p[0], do_read(X, 2));
    SIM_THREAD(&p[0], do_read(X, 0), do_choose(2, 1), do_read(X, 0));
    SIM_THREAD(&p[1], do_choose(2, 0), do_if(r0, OVER), do_read(X, 1), do_label(OVER), do_read(Y, 1));
    SIM_THREAD(&p[1], do_write(X, 1), do_write(Y, 1));
    SIM_THREAD(&p[1], do_read(X, 1), do_choose(2, 2), do_read(Y, 0));
    SIM_THREAD(&p[2], do_write(X, 1));
    SIM_THREAD(&p[2], do_choose(2, 0), do_if(r0, OVER), do_write(X, 2), do_label(OVER));
    static const char *const strategies[] = {"best:reduce", "best:pb,reduce", "best:rand,reduce"};
    for (size_t i = 0; i < RD_COUNT(p); i++) {
        for (size_t k = 0; k < RD_COUNT(strategies); k++) {
            struct sim_result got;
            sim_explore(&p[i], strategies[k], NULL, &got);
            assert_true(got.complete);
            unit_count(p[i].name, "classes", got.classes, classes[i]);
            unit_count(p[i].name, "executions", got.executions, classes[i]);
        }
    }
}

/*
 * An assertion that fails ends the execution: what the other threads were about to do could have come before it.
 * Brute force says which final states there are. Classes are counted where the execution goes on: one that ends
 * early stands for others that differ in steps which have no part in the failure.
 */
static void a_failure_hides_no_order(void **state) {
    (void)state;
    static const struct sim_options whole = {.asserts_go_on = true};
    for (size_t i = 0; i < sim_case_count; i++) {
        if (!unit_takes(i, 4))
            continue;
        struct sim_program p = sim_make(sim_cases[i].build, sim_cases[i].n, sim_cases[i].k);
        struct sim_result all, got, by_dpor;
        sim_enumerate(&p, NULL, &all);
        sim_explore(&p, "best:mdpor,pb,reduce", NULL, &got);
        assert_true(got.complete);
        unit_count(p.name, "final states", got.finals, all.finals);
        sim_enumerate(&p, &whole, &all);
        sim_explore(&p, "dpor", &whole, &by_dpor);
        sim_explore(&p, "best:mdpor,pb,reduce", &whole, &got);
        unit_count(p.name, "classes", got.classes, all.classes);
        unit_count(p.name, "executions", got.executions, by_dpor.executions);
    }
}

/*
 * Executions up to the first that fails. Depth first, the same reduction needs more where few preemptions show the
 * bug in a program with many classes; where each class is soon run it may need fewer.
 */
static void the_best_come_first(void **state) {
    (void)state;
    static const struct {
        sim_build build;
        struct sim_arg arg;
        uint64_t dpor, pb, mdpor;
    } all[] = {
        {sim_rank3, {0, 0}, 2, 5, 5},      {sim_rank4, {0, 0}, 5, 7, 7},     {sim_rank10, {0, 0}, 5, 8, 8},
        {sim_rank12, {0, 0}, 4, 7, 7},     {sim_abba, {0, 0}, 2, 2, 2},      {sim_philosophers, {4, 0}, 8, 15, 14},
        {sim_reorder, {3, 0}, 55, 37, 37}, {sim_two_stage, {2, 0}, 7, 8, 8}, {sim_bluetooth, {0, 0}, 7, 4, 4},
    };
    for (size_t i = 0; i < RD_COUNT(all); i++) {
        struct sim_program p = sim_make(all[i].build, all[i].arg.n, all[i].arg.k);
        struct sim_result r;
        sim_explore(&p, "dpor", NULL, &r);
        unit_count(p.name, "dpor", r.first_failure, all[i].dpor);
        sim_explore(&p, "best:pb,reduce", NULL, &r);
        unit_count(p.name, "best:pb,reduce", r.first_failure, all[i].pb);
        sim_explore(&p, "best:mdpor,pb,reduce", NULL, &r);
        unit_count(p.name, "best:mdpor,pb,reduce", r.first_failure, all[i].mdpor);
    }
}

/* The tree is empty in the end, and so are the lists of facts; the claim is that of a reduction. */
static void nothing_is_left(void **state) {
    (void)state;
    static const struct {
        const char *strategy;
        uint64_t created, alive;
    } trees[] = {{"best:pb,reduce", 44, 31}, {"best:mdpor,pb,reduce", 35, 21}, {"best:rand,reduce", 38, 19}};
    struct sim_program p = sim_make(sim_last_zero, 4, 0);
    for (size_t i = 0; i < RD_COUNT(trees); i++) {
        struct sim_search s = sim_search_open(&p, trees[i].strategy, NULL);
        assert_true(sim_search_next(&s) && !sim_search_claim(&s).complete);
        sim_search_rest(&s);
        const struct rd_delta_tree *t = sim_search_tree(&s);
        unit_count(trees[i].strategy, "created", t->created, trees[i].created);
        unit_count(trees[i].strategy, "destroyed", t->destroyed, t->created);
        unit_count(trees[i].strategy, "alive at the end", t->alive, 0);
        unit_count(trees[i].strategy, "facts at the end", t->facts_alive, 0);
        unit_count(trees[i].strategy, "alive at most", t->alive_max, trees[i].alive);
        struct rd_claim c = sim_search_claim(&s);
        assert_true(c.complete && c.reduced && !c.incomplete && !c.voids[0] && c.preemptions == -1);
        assert_string_equal(c.proved,
                            "every schedule of this test on this input is equivalent to one that was run");
        sim_search_close(&s);
    }
}

static void a_bound_is_refused(void **state) {
    (void)state;
    struct rd_params params = {.seed = 1};
    struct rd_error error;
    assert_null(rd_search_parse("best:pb,c=2,reduce", &params, &error));
    assert_non_null(strstr(error.text, "'reduce' and 'c' of best cannot be used together"));
    const struct rd_search *s = rd_search_parse("best:pb,reduce", &params, &error);
    assert_non_null(s);
    assert_false(rd_search_may_focus(s, &params) || rd_search_divides(s) || rd_search_samples(s));
}

int test_best_reduced(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_class_is_run_once),   cmocka_unit_test(every_way_is_run),
        cmocka_unit_test(a_failure_hides_no_order), cmocka_unit_test(the_best_come_first),
        cmocka_unit_test(nothing_is_left),          cmocka_unit_test(a_bound_is_refused),
    };
    return cmocka_run_group_tests_name("best first, reduced", tests, NULL, NULL);
}
