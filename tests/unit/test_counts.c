/*
 * test_counts.c - depth-first search over the programs of the literature, with all threads created beforehand:
 * schedules, outcomes, preemptions and happens-before classes. The numbers were computed by brute force with
 * another implementation. Each row is a test; our own brute force (sim_enumerate) must agree, schedule by schedule.
 */
#include "unit.h"

#include "sim_programs.h"

struct row {
    const char *name;
    sim_build build;
    struct sim_arg arg;
    uint64_t executions, asserts, deadlocks, classes;
    uint64_t by_preemptions[12]; /* empty: not compared */
    bool asserts_go_on, fifo;
};

/* name, program, parameters, schedules, of these: assert fails, deadlock; classes, {schedules by preemptions} */
static const struct row rows[] = {
    /* all interleavings: (nk)! / (k!)^n, one class or as many as schedules */
    {"2x2 independent", sim_independent, {2, 2}, 6, 0, 0, 1, {2, 2, 2}, 0, 0},
    {"2x3 independent", sim_independent, {2, 3}, 20, 0, 0, 1, {2, 4, 8, 4, 2}, 0, 0},
    {"2x4 independent", sim_independent, {2, 4}, 70, 0, 0, 1, {2, 6, 18, 18, 18, 6, 2}, 0, 0},
    {"3x2 independent", sim_independent, {3, 2}, 90, 0, 0, 1, {6, 18, 36, 30}, 0, 0},
    {"3x3 independent", sim_independent, {3, 3}, 1680, 0, 0, 1, {0}, 0, 0},
    {"4x2 independent", sim_independent, {4, 2}, 2520, 0, 0, 1, {24, 144, 504, 984, 864}, 0, 0},
    {"2x2 conflicting", sim_all_conflict, {2, 2}, 6, 0, 0, 6, {2, 2, 2}, 0, 0},
    {"2x3 conflicting", sim_all_conflict, {2, 3}, 20, 0, 0, 20, {2, 4, 8, 4, 2}, 0, 0},
    {"2x4 conflicting", sim_all_conflict, {2, 4}, 70, 0, 0, 70, {2, 6, 18, 18, 18, 6, 2}, 0, 0},
    {"3x2 conflicting", sim_all_conflict, {3, 2}, 90, 0, 0, 90, {6, 18, 36, 30}, 0, 0},
    {"3x3 conflicting", sim_all_conflict, {3, 3}, 1680, 0, 0, 1680, {0}, 0, 0},
    {"4x2 conflicting", sim_all_conflict, {4, 2}, 2520, 0, 0, 2520, {0}, 0, 0},
    /* classes: 2^n, (n+3) 2^(n-2), 2^n - 1, 2^n - 1 */
    {"readers(2)", sim_readers, {2, 0}, 6, 0, 0, 4, {6}, 0, 0},
    {"readers(3)", sim_readers, {3, 0}, 24, 0, 0, 8, {24}, 0, 0},
    {"readers(4)", sim_readers, {4, 0}, 120, 0, 0, 16, {120}, 0, 0},
    {"readers(5)", sim_readers, {5, 0}, 720, 0, 0, 32, {720}, 0, 0},
    {"readers(6)", sim_readers, {6, 0}, 5040, 0, 0, 64, {5040}, 0, 0},
    {"lastzero(2)", sim_last_zero, {2, 0}, 35, 0, 0, 5, {6, 13, 15, 1}, 0, 0},
    {"lastzero(3)", sim_last_zero, {3, 0}, 920, 0, 0, 12, {24, 118, 309, 365, 93, 11}, 0, 0},
    {"lastzero(4)", sim_last_zero, {4, 0}, 44300, 0, 0, 28, {0}, 0, 0},
    {"philosophers(2)", sim_philosophers, {2, 0}, 6, 0, 2, 3, {2, 4}, 0, 0},
    {"philosophers(3)", sim_philosophers, {3, 0}, 168, 0, 6, 7, {6, 51, 72, 21, 18}, 0, 0},
    {"ring(3)", sim_ring, {3, 0}, 90, 0, 0, 7, {6, 18, 36, 30}, 0, 0},
    {"ring(4)", sim_ring, {4, 0}, 2520, 0, 0, 15, {24, 144, 504, 984, 864}, 0, 0},
    /* programs of papers */
    {"RAPOS figure 1", sim_rapos1, {0, 0}, 5, 1, 0, 2, {2, 3}, 0, 0},
    {"Rank figure 1", sim_rank1, {0, 0}, 2, 1, 0, 2, {2}, 0, 0},
    {"Rank figure 2", sim_rank2, {0, 0}, 3, 1, 0, 3, {2, 1}, 0, 0},
    {"Rank figure 3", sim_rank3, {0, 0}, 6, 2, 0, 6, {2, 2, 2}, 0, 0},
    {"Rank figure 4", sim_rank4, {0, 0}, 20, 2, 0, 9, {2, 4, 8, 4, 2}, 0, 0},
    {"Rank figure 8", sim_rank8, {0, 0}, 6, 2, 0, 6, {6}, 0, 0},
    {"Rank figure 9 as printed", sim_rank9_printed, {0, 0}, 12, 0, 0, 12, {6, 6}, 0, 0},
    {"Rank figure 9 corrected", sim_rank9, {0, 0}, 12, 2, 0, 12, {6, 6}, 0, 0},
    {"Rank figure 10", sim_rank10, {0, 0}, 30, 1, 0, 9, {6, 18, 6}, 0, 0},
    {"Rank figure 12", sim_rank12, {0, 0}, 52, 6, 0, 14, {2, 6, 12, 14, 10, 6, 2}, 0, 0},
    {"Rank figure 12, asserts go on", sim_rank12, {0, 0}, 64, 18, 0, 18, {2, 6, 12, 18, 18, 6, 2}, true, 0},
    {"SplitSync", sim_split_sync, {0, 0}, 6, 4, 0, 6, {2, 2, 2}, 0, 0},
    {"lost update", sim_lost_update, {0, 0}, 6, 0, 0, 4, {2, 2, 2}, 0, 0},
    {"lost update with main", sim_lost_update_main, {0, 0}, 19, 9, 0, 4, {3, 5, 7, 4}, 0, 0},
    {"ABBA", sim_abba, {0, 0}, 6, 0, 2, 3, {2, 4}, 0, 0},
    {"store buffering", sim_store_buffer, {0, 0}, 6, 0, 0, 3, {2, 2, 2}, 0, 0},
    {"bluetooth", sim_bluetooth, {0, 0}, 61, 4, 0, 8, {2, 7, 8, 15, 12, 13, 3, 1}, 0, 0},
    {"reorder(2)", sim_reorder, {2, 0}, 82, 20, 0, 36, {6, 16, 32, 28}, 0, 0},
    {"reorder(2), asserts go on", sim_reorder, {2, 0}, 90, 28, 0, 36, {6, 18, 36, 30}, true, 0},
    {"reorder(3)", sim_reorder, {3, 0}, 2124, 288, 0, 510, {24, 126, 420, 810, 744}, 0, 0},
    {"reorder(3), asserts go on", sim_reorder, {3, 0}, 2520, 684, 0, 576, {24, 144, 504, 984, 864}, true, 0},
    {"reorder_sct(2), asserts go on", sim_reorder_sct, {2, 0}, 172, 18, 0, 56, {6, 20, 54, 68, 24}, true, 0},
    {"twostage(1)", sim_two_stage, {1, 0}, 22, 1, 0, 3, {2, 3, 7, 6, 3, 1}, 0, 0},
    {"twostage(2), asserts go on",
     sim_two_stage,
     {2, 0},
     3450,
     212,
     0,
     28,
     {6, 58, 198, 504, 802, 878, 600, 304, 76, 24},
     true,
     0},
    {"critical sections, private data", sim_critical, {2, 2}, 6, 0, 0, 6, {2, 2, 2}, 0, 0},
    {"hidden read", sim_hidden_read, {0, 0}, 12, 0, 0, 4, {0}, 0, 0},
    /* condition variables */
    {"if around a wait", sim_consumers, {0, 0}, 30, 6, 0, 30, {10, 20}, 0, 0},
    {"while around a wait", sim_consumers, {0, 1}, 30, 0, 0, 30, {10, 20}, 0, 0},
    {"one slot, signal in order", sim_slot, {2, 0}, 60, 0, 4, 60, {60}, 0, true},
    {"one slot, signal to any", sim_slot, {2, 0}, 80, 0, 8, 80, {80}, 0, 0},
    {"one slot, broadcast", sim_slot, {2, 1}, 80, 0, 0, 80, {80}, 0, 0},
};

enum { QUICK_MAX = 10000 }; /* programs with more executions are run with --slow only */
enum { BRUTE_MAX = 3000 };  /* above this number of executions the enumerator is not compared */

static void check_row(void **state) {
    const struct row *row = *state;
    if (row->executions > QUICK_MAX && !unit_is_slow())
        return;
    struct sim_program p = sim_make(row->build, row->arg.n, row->arg.k);
    struct sim_options o = {.asserts_go_on = row->asserts_go_on, .signal_fifo = row->fifo};
    struct sim_result r, all;
    sim_explore(&p, "dfs", &o, &r);
    unit_count(row->name, "executions", r.executions, row->executions);
    unit_count(row->name, "asserts", r.asserts, row->asserts);
    unit_count(row->name, "deadlocks", r.deadlocks, row->deadlocks);
    unit_count(row->name, "ok", r.ok, row->executions - row->asserts - row->deadlocks);
    unit_count(row->name, "classes", r.classes, row->classes);
    unit_count(row->name, "repeated schedules", r.repeated, 0);
    assert_true(r.complete);
    uint64_t sum = 0;
    for (size_t c = 0; c < RD_COUNT(row->by_preemptions); c++)
        sum += row->by_preemptions[c];
    for (size_t c = 0; sum && c < RD_COUNT(row->by_preemptions); c++)
        unit_count(row->name, "schedules by preemptions", r.by_preemptions[c], row->by_preemptions[c]);
    if (sum)
        unit_count(row->name, "sum over preemptions", sum, row->executions);
    if (row->executions > BRUTE_MAX)
        return;
    sim_enumerate(&p, &o, &all);
    unit_count(row->name, "schedules by brute force", all.schedules, row->executions);
    unit_count(row->name, "executions of the brute force", all.executions, row->executions);
    assert_true(all.schedule_sum == r.schedule_sum);
    unit_count(row->name, "final states", r.finals, all.finals);
}

int test_counts(void) {
    static struct CMUnitTest tests[RD_COUNT(rows)];
    for (size_t i = 0; i < RD_COUNT(rows); i++) {
        tests[i] = (struct CMUnitTest){.name = rows[i].name, .test_func = check_row};
        tests[i].initial_state = (void *)&rows[i];
    }
    return cmocka_run_group_tests_name("counts", tests, NULL, NULL);
}
