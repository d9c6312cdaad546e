/*
 * test_harness.c - how creations, joins and start steps change the numbers. The number of schedules grows; the
 * number of happens-before classes does not, since all those steps are ordered anyway: it is the robust count. A
 * failing assert does not end the execution here. philosophers(3) with start steps has 490026 schedules and is left
 * out for its running time.
 */
#include "unit.h"

#include "sim_programs.h"

struct row {
    const char *name;
    sim_build build;
    struct sim_arg arg;
    uint64_t bare, main, start; /* executions with each way to start; 0: not run */
    uint64_t classes;
    uint64_t bounded[3]; /* with creations and joins, at most 0, 1, 2 preemptions; 0: not compared */
};

static const struct row rows[] = {
    {"2x2 independent", sim_independent, {2, 2}, 6, 19, 69, 1, {3, 8, 15}},
    {"2x2 conflicting", sim_all_conflict, {2, 2}, 6, 19, 69, 6, {3, 8, 15}},
    {"RAPOS figure 1", sim_rapos1, {0, 0}, 5, 20, 83, 2, {0}},
    {"Rank figure 3", sim_rank3, {0, 0}, 6, 19, 69, 6, {0}},
    {"Rank figure 4", sim_rank4, {0, 0}, 20, 69, 251, 9, {0}},
    {"Rank figure 10", sim_rank10, {0, 0}, 30, 430, 12152, 9, {0}},
    {"SplitSync", sim_split_sync, {0, 0}, 6, 95, 505, 6, {3, 13, 33}},
    {"ABBA", sim_abba, {0, 0}, 6, 46, 194, 3, {3, 12, 24}},
    {"philosophers(3)", sim_philosophers, {3, 0}, 168, 15876, 0, 7, {0}},
    {"readers(3)", sim_readers, {3, 0}, 24, 550, 134545, 8, {0}},
    {"reorder(2)", sim_reorder, {2, 0}, 90, 1121, 25424, 36, {13, 76, 264}},
    {"twostage(1)", sim_two_stage, {1, 0}, 22, 464, 1964, 3, {0}},
    {"bluetooth", sim_bluetooth, {0, 0}, 61, 277, 954, 8, {0}},
};

static void check_one(const struct row *row, const struct sim_program *p, uint64_t executions,
                      struct sim_result *r) {
    sim_explore(p, "dfs", &(struct sim_options){.asserts_go_on = true}, r);
    unit_count(row->name, "executions", r->executions, executions);
    unit_count(row->name, "classes", r->classes, row->classes);
    unit_count(row->name, "repeated schedules", r->repeated, 0);
    unit_count(row->name, "other outcomes", r->others + r->hangs, 0);
    assert_true(r->complete);
}

enum { QUICK_MAX = 1000 }; /* programs with more executions are run with --slow only */

static void check_row(void **state) {
    const struct row *row = *state;
    struct sim_program bare = sim_make(row->build, row->arg.n, row->arg.k), p;
    struct sim_result of_bare, r;
    check_one(row, &bare, row->bare, &of_bare);
    sim_with_main(&p, &bare, false);
    check_one(row, &p, row->main, &r);
    unit_count(row->name, "failing classes", r.failing_classes, of_bare.failing_classes);
    uint64_t sum = 0;
    for (int c = 0; row->bounded[0] && c < 3; c++) {
        sum += r.by_preemptions[c];
        unit_count(row->name, "schedules of few preemptions", sum, row->bounded[c]);
    }
    if (row->start == 0 || (row->start > QUICK_MAX && !unit_is_slow()))
        return;
    sim_with_main(&p, &bare, true);
    check_one(row, &p, row->start, &r);
    unit_count(row->name, "failing classes", r.failing_classes, of_bare.failing_classes);
}

int test_harness(void) {
    static struct CMUnitTest tests[RD_COUNT(rows)];
    for (size_t i = 0; i < RD_COUNT(rows); i++) {
        tests[i] = (struct CMUnitTest){.name = rows[i].name, .test_func = check_row};
        tests[i].initial_state = (void *)&rows[i];
    }
    return cmocka_run_group_tests_name("creations, joins and starts", tests, NULL, NULL);
}
