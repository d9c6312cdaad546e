/*
 * test_random.c - the random walk finds each bug with its exact probability. 4000 executions of a fixed seed,
 * accepted within four standard deviations. The results never change; with random seeds a row would fail with a
 * probability of 6e-5.
 */
#include "unit.h"

#include "sim_programs.h"

enum { RUNS = 4000, SEED = 20 };

static void check_share(const char *name, const char *what, uint64_t hits, double p) {
    double off = (double)hits - RUNS * p;
    if (off * off >= 16 * RUNS * p * (1 - p)) {
        print_error("%s: %s: %llu of %d, expected %.1f\n", name, what, (unsigned long long)hits, RUNS, RUNS * p);
        fail();
    }
}

struct row {
    const char *name;
    sim_build build;
    int n;
    double over, under; /* the probability */
};

static const struct row rows[] = {
    {"RAPOS figure 1", sim_rapos1, 0, 1, 16},       {"Rank figure 1", sim_rank1, 0, 1, 2},
    {"Rank figure 2", sim_rank2, 0, 1, 4},          {"Rank figure 3", sim_rank3, 0, 1, 4},
    {"Rank figure 4", sim_rank4, 0, 1, 16},         {"Rank figure 8", sim_rank8, 0, 1, 3},
    {"Rank figure 9", sim_rank9, 0, 1, 9},          {"Rank figure 10", sim_rank10, 0, 1, 72},
    {"Rank figure 12", sim_rank12, 0, 3, 16},       {"SplitSync", sim_split_sync, 0, 1, 2},
    {"lost update", sim_lost_update_main, 0, 3, 8}, {"ABBA", sim_abba, 0, 1, 2},
    {"reorder(2)", sim_reorder, 2, 20, 81},         {"twostage(1)", sim_two_stage, 1, 1, 32},
};

static void check_row(void **state) {
    const struct row *row = *state;
    struct sim_program p = sim_make(row->build, row->n, 0);
    struct sim_result r;
    sim_explore(&p, "random", &(struct sim_options){.executions_max = RUNS, .seed = SEED}, &r);
    unit_count(row->name, "executions", r.executions, RUNS);
    check_share(row->name, "failures", r.asserts + r.deadlocks, row->over / row->under);
    assert_false(r.complete);
}

static void where_is_thread_2(void *ctx, const struct sim *s) {
    for (uint32_t i = 0; i < s->rec.out->steps; i++)
        ((uint64_t *)ctx)[i] += s->rec.steps[i].tid == 2;
}

/* The five interleavings of RAPOS figure 1 have probabilities 1/2 1/4 1/8 1/16 1/16. */
static void every_interleaving_has_its_share(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_rapos1, 0, 0);
    uint64_t at[5] = {0};
    struct sim_result r;
    struct sim_options o = {.executions_max = RUNS, .seed = SEED, .seen = where_is_thread_2, .ctx = at};
    sim_explore(&p, "random", &o, &r);
    static const double share[] = {1 / 2., 1 / 4., 1 / 8., 1 / 16., 1 / 16.};
    for (int i = 0; i < 5; i++)
        check_share(p.name, "an interleaving", at[i], share[i]);
}

/* Three threads wait and one signals: the picker also chooses the woken waiter, uniformly. */
static void every_waiter_has_its_share(void **state) {
    (void)state;
    struct sim_program p = {.name = "three waiters"};
    enum { M, CV = 0 };
    for (int t = 0; t < 3; t++)
        SIM_THREAD(&p, do_lock(M), do_wait(CV, M), do_unlock(M));
    SIM_THREAD(&p, do_signal(CV));
    struct sim *s = sim_open();
    sim_load(s, &p, NULL, NULL);
    uint64_t woken[3] = {0};
    for (uint64_t seed = 0; seed < RUNS; seed++) {
        static const rd_tid sleep_then_signal[] = {1, 1, 2, 2, 3, 3, 4};
        for (int i = 0; i < 7; i++)
            s->prefix[i] = (struct rd_choice){.pick = sleep_then_signal[i]};
        sim_run(s, &(struct rd_plan){.prefix_count = 7, .picker = RD_PICK_RANDOM, .seed = rd_mix(seed)});
        assert_int_equal(s->rec.steps[7].op, RD_OP_WAITER);
        woken[s->rec.steps[7].value]++;
    }
    sim_close(s);
    for (int i = 0; i < 3; i++)
        check_share(p.name, "a waiter", woken[i], 1 / 3.);
}

static void the_seed_decides(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_philosophers, 3, 0);
    struct sim_result a, b, c;
    sim_explore(&p, "random", &(struct sim_options){.executions_max = 20, .seed = 1}, &a);
    sim_explore(&p, "random", &(struct sim_options){.executions_max = 20, .seed = 1}, &b);
    sim_explore(&p, "random", &(struct sim_options){.executions_max = 20, .seed = 2}, &c);
    assert_true(a.schedule_sum == b.schedule_sum);
    assert_true(a.schedule_sum != c.schedule_sum);
}

int test_random(void) {
    static struct CMUnitTest tests[RD_COUNT(rows) + 3] = {
        cmocka_unit_test(every_interleaving_has_its_share),
        cmocka_unit_test(every_waiter_has_its_share),
        cmocka_unit_test(the_seed_decides),
    };
    for (size_t i = 0; i < RD_COUNT(rows); i++) {
        tests[3 + i] = (struct CMUnitTest){.name = rows[i].name, .test_func = check_row};
        tests[3 + i].initial_state = (void *)&rows[i];
    }
    return cmocka_run_group_tests_name("random walk", tests, NULL, NULL);
}
