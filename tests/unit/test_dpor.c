/*
 * test_dpor.c - partial-order reduction over the programs of the literature: as many executions as there are
 * classes, and the known numbers of executions that were cut short. A failing assert does not end an execution
 * here.
 */
#include "unit.h"

#include "sim_programs.h"

static int plus_one(int old, const int *r) {
    (void)r;
    return old + 1;
}
static int plus_r0(int old, const int *r) { return old + r[0]; }

struct row {
    const char *name;
    sim_build build;
    struct sim_arg arg;
    uint64_t classes, cut; /* cut: by sleep sets with source sets; optimal DPOR cuts none */
    uint64_t asserts, deadlocks;
};

/*
 * name, program, parameters, classes, executions cut by sleep sets; classes whose assertion fails, classes with a
 * deadlock
 */
static const struct row rows[] = {
    {"GAMBIT figure 1", sim_independent, {2, 2}, 1, 0, 0, 0},
    {"3x2 independent", sim_independent, {3, 2}, 1, 0, 0, 0},
    {"2x2 conflicting", sim_all_conflict, {2, 2}, 6, 0, 0, 0},
    {"2x3 conflicting", sim_all_conflict, {2, 3}, 20, 0, 0, 0},
    {"RAPOS figure 1", sim_rapos1, {0, 0}, 2, 0, 1, 0},
    {"Rank figure 2", sim_rank2, {0, 0}, 3, 0, 1, 0},
    {"Rank figure 3", sim_rank3, {0, 0}, 6, 0, 2, 0},
    {"Rank figure 4", sim_rank4, {0, 0}, 9, 0, 1, 0},
    {"Rank figure 8", sim_rank8, {0, 0}, 6, 0, 2, 0},
    {"Rank figure 9", sim_rank9, {0, 0}, 12, 0, 2, 0},
    {"Rank figure 10", sim_rank10, {0, 0}, 9, 0, 1, 0},
    {"Rank figure 12", sim_rank12, {0, 0}, 18, 0, 6, 0},
    {"SplitSync", sim_split_sync, {0, 0}, 6, 0, 4, 0},
    {"lost update", sim_lost_update, {0, 0}, 4, 0, 0, 0},
    {"ABBA", sim_abba, {0, 0}, 3, 0, 0, 1},
    {"philosophers(3)", sim_philosophers, {3, 0}, 7, 0, 0, 1},
    {"philosophers(4)", sim_philosophers, {4, 0}, 15, 0, 0, 1},
    {"store buffering", sim_store_buffer, {0, 0}, 3, 0, 0, 0},
    {"readers(3)", sim_readers, {3, 0}, 8, 0, 0, 0},
    {"readers(5)", sim_readers, {5, 0}, 32, 0, 0, 0},
    {"readers(8)", sim_readers, {8, 0}, 256, 0, 0, 0},
    {"lastzero(3)", sim_last_zero, {3, 0}, 12, 1, 0, 0},
    {"lastzero(4)", sim_last_zero, {4, 0}, 28, 7, 0, 0},
    {"lastzero(5)", sim_last_zero, {5, 0}, 64, 33, 0, 0},
    {"ring(3)", sim_ring, {3, 0}, 7, 0, 0, 0},
    {"ring(4)", sim_ring, {4, 0}, 15, 0, 0, 0},
    {"reorder(2)", sim_reorder, {2, 0}, 36, 0, 16, 0},
    {"reorder(3)", sim_reorder, {3, 0}, 576, 0, 216, 0},
    {"reorder_sct(2)", sim_reorder_sct, {2, 0}, 56, 2, 12, 0},
    {"twostage(1)", sim_two_stage, {1, 0}, 3, 0, 1, 0},
    {"twostage(2)", sim_two_stage, {2, 0}, 28, 0, 8, 0},
    {"critical(2, 2)", sim_critical, {2, 2}, 6, 0, 0, 0},
    {"critical(3, 1)", sim_critical, {3, 1}, 6, 0, 0, 0},
    {"critical(3, 2)", sim_critical, {3, 2}, 90, 0, 0, 0},
    {"bluetooth", sim_bluetooth, {0, 0}, 8, 0, 1, 0},
    {"W x | W y; R x | R x", sim_hidden_read, {0, 0}, 4, 0, 0, 0},
};

static void check(const struct row *r, const struct sim_program *p, bool optimal, uint64_t cut) {
    struct sim_options o = {.asserts_go_on = true};
    struct sim_result got;
    sim_explore(p, optimal ? "dpor:optimal" : "dpor", &o, &got);
    assert_true(got.complete);
    unit_count(r->name, "classes", got.classes, r->classes);
    unit_count(r->name, "executions", got.executions, r->classes);
    unit_count(r->name, "cut short", got.cut, cut);
    unit_count(r->name, "failing", got.asserts, r->asserts);
    unit_count(r->name, "deadlocks", got.deadlocks, r->deadlocks);
}

static void source_sets_run_each_class_once(void **state) {
    (void)state;
    for (size_t i = 0; i < RD_COUNT(rows); i++) {
        struct sim_program p = sim_make(rows[i].build, rows[i].arg.n, rows[i].arg.k);
        check(&rows[i], &p, false, rows[i].cut);
    }
}

static void wakeup_trees_cut_no_execution(void **state) {
    (void)state;
    for (size_t i = 0; i < RD_COUNT(rows); i++) {
        struct sim_program p = sim_make(rows[i].build, rows[i].arg.n, rows[i].arg.k);
        check(&rows[i], &p, true, 0);
    }
}

/* Creations, starts and joins of threads are steps, too, and add no class. */
static void steps_of_main_add_no_class(void **state) {
    (void)state;
    for (size_t i = 0; i < RD_COUNT(rows); i++) {
        struct sim_program p = sim_make(rows[i].build, rows[i].arg.n, rows[i].arg.k), with_main;
        if (rows[i].classes > 100)
            continue;
        for (int start = 0; start < 2; start++) {
            sim_with_main(&with_main, &p, start);
            check(&rows[i], &with_main, true, 0);
        }
    }
}

struct bounded {
    const char *name;
    sim_build build;
    struct sim_arg arg;
    uint64_t classic;
    uint64_t bpor[3], dfs[3]; /* c = 0, 1, 2; 0: not known */
};

/* name, program, parameters, executions of: the classic reduction, the bounded reduction, the bounded search */
static const struct bounded bounds[] = {
    {"GAMBIT figure 1", sim_independent, {2, 2}, 1, {1, 1, 1}, {2, 4, 6}},
    {"3x2 independent", sim_independent, {3, 2}, 1, {1, 1, 1}, {6, 24, 60}},
    {"RAPOS figure 1", sim_rapos1, {0, 0}, 2, {2, 3, 3}, {2, 5, 5}},
    {"Rank figure 4", sim_rank4, {0, 0}, 10, {2, 6, 12}, {2, 6, 14}},
    {"Rank figure 10", sim_rank10, {0, 0}, 9, {5, 12, 14}, {6, 24, 30}},
    {"Rank figure 12", sim_rank12, {0, 0}, 64, {2, 8, 20}, {2, 8, 20}},
    {"lost update", sim_lost_update, {0, 0}, 6, {2, 4, 6}, {2, 4, 6}},
    {"ABBA", sim_abba, {0, 0}, 4, {2, 4, 4}, {2, 6, 6}},
    {"philosophers(3)", sim_philosophers, {3, 0}, 17, {6, 18, 21}, {6, 57, 129}},
    {"philosophers(4)", sim_philosophers, {4, 0}, 82, {20, 80, 116}, {24, 512, 3116}},
    {"readers(3)", sim_readers, {3, 0}, 16, {16, 16, 16}, {24, 24, 24}},
    {"readers(5)", sim_readers, {5, 0}, 326, {326, 326, 326}, {720, 720, 720}},
    {"lastzero(3)", sim_last_zero, {3, 0}, 70, {20, 73, 125}, {24, 142, 451}},
    {"lastzero(4)", sim_last_zero, {4, 0}, 367, {70, 342, 773}, {120, 1166, 5940}},
    {"lastzero(5)", sim_last_zero, {5, 0}, 1993, {0, 0, 0}, {720, 10476, 0}},
    {"ring(4)", sim_ring, {4, 0}, 56, {20, 80, 116}, {24, 168, 672}},
    {"reorder(2)", sim_reorder, {2, 0}, 63, {6, 24, 60}, {6, 24, 60}},
    {"reorder(3)", sim_reorder, {3, 0}, 1521, {24, 168, 672}, {24, 168, 672}},
    {"reorder_sct(2)", sim_reorder_sct, {2, 0}, 138, {6, 26, 76}, {6, 26, 80}},
    {"twostage(2)", sim_two_stage, {2, 0}, 116, {6, 20, 46}, {6, 64, 262}},
    {"bluetooth", sim_bluetooth, {0, 0}, 15, {2, 4, 10}, {2, 9, 17}},
};

static uint64_t executions(const struct bounded *b, const char *strategy, struct sim_result *got) {
    struct sim_options o = {.asserts_go_on = true};
    struct sim_program p = sim_make(b->build, b->arg.n, b->arg.k);
    sim_explore(&p, strategy, &o, got);
    assert_true(got->complete);
    assert_int_equal(got->cut, 0);
    return got->executions;
}

static void classic_runs_the_known_numbers(void **state) {
    (void)state;
    struct sim_result got;
    for (size_t i = 0; i < RD_COUNT(bounds); i++)
        unit_count(bounds[i].name, "classic", executions(&bounds[i], "dpor:classic", &got), bounds[i].classic);
}

static void bounded_reduction_runs_the_known_numbers(void **state) {
    (void)state;
    static const char *const strategies[] = {"bpor:c=0,published", "bpor:c=1,published", "bpor:c=2,published"};
    struct sim_result got;
    for (size_t i = 0; i < RD_COUNT(bounds); i++)
        for (size_t c = 0; c < 3; c++)
            if (bounds[i].bpor[c])
                unit_count(bounds[i].name, strategies[c], executions(&bounds[i], strategies[c], &got),
                           bounds[i].bpor[c]);
}

/*
 * W x | W y; R x | R x has 4 classes in 12 schedules. Sleep sets together with the rule "run the second thread of a
 * race before the first event" find 3 of them.
 */
static void trap_sleep_sets_with_the_thread_of_the_race_lose_a_class(void **state) {
    (void)state;
    static const char *const strategies[] = {"dpor", "dpor:optimal", "dpor:classic",
                                             "bpor", "icb:sleep",    "icb:cache"};
    struct sim_program p = sim_make(sim_hidden_read, 0, 0);
    struct sim_result all, got;
    sim_enumerate(&p, NULL, &all);
    unit_count(p.name, "schedules", all.schedules, 12);
    unit_count(p.name, "classes", all.classes, 4);
    for (size_t i = 0; i < RD_COUNT(strategies); i++) {
        sim_explore(&p, strategies[i], NULL, &got);
        unit_count(strategies[i], "classes", got.classes, 4);
    }
}

/*
 * Conditions with a choice of the waiter: the reduction reaches all classes of brute force, whether or not asserts
 * end executions.
 */
static void conditions_lose_no_class(void **state) {
    (void)state;
    static const struct {
        sim_build build;
        struct sim_arg arg;
    } programs[] = {{sim_consumers, {0, 0}},
                    {sim_consumers, {0, 1}},
                    {sim_slot, {2, 0}},
                    {sim_slot, {2, 1}},
                    {sim_slot, {1, 0}}};
    static const char *const strategies[] = {"dpor", "dpor:optimal", "dpor:classic", "bpor"};
    for (size_t i = 0; i < RD_COUNT(programs); i++) {
        struct sim_program p = sim_make(programs[i].build, programs[i].arg.n, programs[i].arg.k);
        for (int go_on = 0; go_on < 2; go_on++) {
            struct sim_options o = {.asserts_go_on = go_on};
            struct sim_result all, got;
            sim_enumerate(&p, &o, &all);
            for (size_t s = 0; s < RD_COUNT(strategies); s++) {
                sim_explore(&p, strategies[s], &o, &got);
                assert_true(got.complete);
                unit_count(p.name, strategies[s], got.finals, all.finals);
                assert_int_equal(got.deadlocks > 0, all.deadlocks > 0);
                assert_int_equal(got.asserts > 0, all.asserts > 0);
                if (s < 2)
                    unit_count(p.name, "classes", got.classes, all.classes);
                if (s == 1 && go_on)
                    unit_count(p.name, "executions", got.executions + got.cut, all.classes);
            }
        }
    }
}

/*
 * A turn that begins before the release that it will have to wait for: T1: lock, x = 2, unlock, r = x, x += r
 * against T2: x++, lock, x++ with one preemption. The published reduction finds 4 of the 5 final states.
 */
static void bounded_reduction_begins_turns_before_a_blocking_release(void **state) {
    (void)state;
    struct sim_program p = {.name = "a turn that ends for nothing"};
    enum { X, M = 0 };
    SIM_THREAD(&p, do_lock(M), do_write(X, 2), do_unlock(M), do_read(X, 0), do_rmw(X, plus_r0, -1));
    SIM_THREAD(&p, do_rmw(X, plus_one, -1), do_lock(M), do_rmw(X, plus_one, -1));
    struct sim_options o = {.asserts_go_on = true};
    struct sim_result all, published, ours;
    sim_explore(&p, "icb:c=1", &o, &all);
    sim_explore(&p, "bpor:c=1,published", &o, &published);
    sim_explore(&p, "bpor:c=1", &o, &ours);
    unit_count(p.name, "final states", all.finals, 5);
    unit_count(p.name, "as published", published.finals, 4);
    unit_count(p.name, "ours", ours.finals, 5);
}

static int r3(const int *r) { return r[3]; }

/*
 * A sequence in a wakeup tree must contain all events that happened independently of the race, in every execution.
 * A sequence that stops at the second event of the race, or is not examined again, seems to be covered by a thread
 * of the sleep set. Two programs whose classes were lost in this way.
 */
static void trap_incomplete_sequences_lose_a_class(void **state) {
    (void)state;
    enum { X, M = 0, OVER = 0 };
    struct sim_program p[2] = {{.name = "stops at the second event"}, {.name = "not looked at again"}};
    SIM_THREAD(&p[0], do_read(X, 1));
    SIM_THREAD(&p[0], do_trylock(M, 3), do_if_zero(r3, OVER), do_unlock(M), do_label(OVER), do_trylock(M, 3));
    SIM_THREAD(&p[0], do_write(X, 5));
    SIM_THREAD(&p[0], do_trylock(M, 3), do_if_zero(r3, OVER), do_read(X, 0), do_label(OVER));
    SIM_THREAD(&p[1], do_rmw(X, plus_r0, -1));
    SIM_THREAD(&p[1], do_rmw(X, plus_one, -1));
    SIM_THREAD(&p[1], do_trylock(M, 3), do_if_zero(r3, OVER), do_rmw(X, plus_one, -1), do_label(OVER));
    SIM_THREAD(&p[1], do_trylock(M, 3), do_if_zero(r3, OVER), do_unlock(M), do_label(OVER));
    static const uint64_t classes[] = {12, 14};
    for (int i = 0; i < 2; i++) {
        struct sim_result all, got;
        sim_enumerate(&p[i], NULL, &all);
        unit_count(p[i].name, "classes", all.classes, classes[i]);
        sim_explore(&p[i], "dpor:optimal", NULL, &got);
        unit_count(p[i].name, "dpor:optimal", got.classes, classes[i]);
        unit_count(p[i].name, "executions", got.executions + got.cut, classes[i]);
    }
}

static int r0(const int *r) { return r[0]; }

/*
 * A choice by the program is part of the class. A sequence that must be explored after one way need not be one
 * after another way: with a rule that dropped a sequence if its thread was to be run in any way, the reduction lost
 * 2, 1 and 5 classes of these programs, and cut an execution of the last one.
 */
static void choices_lose_no_class(void **state) {
    (void)state;
    enum { X, Y, OVER = 0 };
    static const char *const strategies[] = {"dpor:optimal", "dpor",      "icb:sleep", "icb:cache",
                                             "dpor:classic", "best:dpor", "bpor"};
    static const uint64_t classes[] = {12, 12, 48, 3};
    struct sim_program p[4] = {{.name = "reads after a choice"},
                               {.name = "reads around a choice"},
                               {.name = "two choices"},
                               {.name = "one way has nothing to do with it"}};
    SIM_THREAD(&p[0], do_read(X, 0));
    SIM_THREAD(&p[0], do_write(X, 1));
    SIM_THREAD(&p[0], do_choose(3, 0), do_read(X, 1));
    SIM_THREAD(&p[1], do_write(X, 1));
    SIM_THREAD(&p[1], do_read(X, 2));
    SIM_THREAD(&p[1], do_read(X, 0), do_choose(2, 1), do_read(X, 0));
    SIM_THREAD(&p[2], do_choose(2, 0), do_if(r0, OVER), do_read(X, 1), do_label(OVER), do_read(Y, 1));
    SIM_THREAD(&p[2], do_write(X, 1), do_write(Y, 1));
    SIM_THREAD(&p[2], do_read(X, 1), do_choose(2, 2), do_read(Y, 0));
    SIM_THREAD(&p[3], do_write(X, 1));
    SIM_THREAD(&p[3], do_choose(2, 0), do_if(r0, OVER), do_write(X, 2), do_label(OVER));
    for (size_t i = 0; i < RD_COUNT(p); i++) {
        struct sim_result all, got;
        sim_enumerate(&p[i], NULL, &all);
        unit_count(p[i].name, "classes", all.classes, classes[i]);
        for (size_t s = 0; s < RD_COUNT(strategies); s++) {
            sim_explore(&p[i], strategies[s], NULL, &got);
            assert_true(got.complete);
            unit_count(p[i].name, strategies[s], got.finals, all.finals);
            if (s < 4)
                unit_count(p[i].name, strategies[s], got.classes, all.classes);
            if (s == 0)
                unit_count(p[i].name, "executions", got.executions + got.cut, all.classes);
        }
    }
}

int test_dpor(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(source_sets_run_each_class_once),
        cmocka_unit_test(wakeup_trees_cut_no_execution),
        cmocka_unit_test(steps_of_main_add_no_class),
        cmocka_unit_test(trap_sleep_sets_with_the_thread_of_the_race_lose_a_class),
        cmocka_unit_test(trap_incomplete_sequences_lose_a_class),
        cmocka_unit_test(conditions_lose_no_class),
        cmocka_unit_test(choices_lose_no_class),
        cmocka_unit_test(classic_runs_the_known_numbers),
        cmocka_unit_test(bounded_reduction_runs_the_known_numbers),
        cmocka_unit_test(bounded_reduction_begins_turns_before_a_blocking_release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
