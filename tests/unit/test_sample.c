/*
 * test_sample.c - the samplers find each bug with its exact probability, which is computed by enumerating all that
 * they can draw. 4000 executions of fixed seeds, accepted within four standard deviations.
 */
#include "unit.h"

#include "pick/pick.h"
#include "search/sampler/sample.h"
#include "sim_programs.h"
#include "sim_search.h"
#include "trace/track.h"

#include <stdlib.h>
#include <string.h>

enum { SEED = 20 };
#define RUNS (unit_is_slow() ? 4000 : 1000)

static void check_share(const char *name, const char *what, uint64_t hits, double p) {
    double off = (double)hits - RUNS * p;
    if (p == 0 ? hits > 0 : off * off >= 16 * RUNS * p * (1 - p)) {
        print_error("%s: %s: %llu of %d, expected %.1f\n", name, what, (unsigned long long)hits, RUNS, RUNS * p);
        fail();
    }
}

/* The number of failing executions by this plan, one seed after the other. */
static uint64_t failures(const struct sim_program *p, struct rd_plan plan) {
    struct sim *s = sim_open();
    uint64_t hits = 0;
    sim_load(s, p, NULL, NULL);
    for (uint64_t i = 0; i < RUNS; i++) {
        plan.seed = rd_hash2(SEED, i);
        sim_run(s, &plan);
        hits += s->rec.out->verdict == RD_FOUND;
    }
    sim_close(s);
    return hits;
}

struct row {
    const char *name;
    sim_build build;
    int n;
    uint32_t points, steps; /* of the longest execution: the k of pct */
    const char *shares;     /* pct with d = 1, 2, 3, the same as published, pos, rapos, urw, surw; -: not known */
};

static const struct row rows[] = {
    {"RAPOS figure 1", sim_rapos1, 0, 4, 5, "1/2 1/8 1/8  1/2 1/5 2/25  1/5 1/4 1/5 1/2"},
    {"Rank figure 1", sim_rank1, 0, 1, 2, "1/2 1/2 1/2  1/2 1/2 1/2  1/2 1/2 1/2 1/2"},
    {"Rank figure 2", sim_rank2, 0, 2, 3, "0 1/4 1/4  0 1/6 5/18  1/4 1/4 1/3 1/3"},
    {"Rank figure 3", sim_rank3, 0, 3, 4, "0 0 1/9  0 0 1/16  1/4 1/4 1/3 1/3"},
    {"Rank figure 4", sim_rank4, 0, 5, 6, "0 0 1/50  0 0 1/72  5/96 1/16 1/10 1/18"},
    {"Rank figure 8", sim_rank8, 0, 2, 3, "1/3 1/3 1/3  1/3 1/3 1/3  1/3 1/3 1/3 1/3"},
    {"Rank figure 9", sim_rank9, 0, 3, 4, "0 1/9 1/9  0 1/12 7/48  1/9 1/9 1/6 1/6"},
    {"Rank figure 10", sim_rank10, 0, 5, 6, "0 0 0  0 0 0  29/840 1/24 1/30 1/24"},
    {"Rank figure 12", sim_rank12, 0, 7, 8, "0 0 1/49  0 0 1/64  - 1/8 - -"},
    {"SplitSync", sim_split_sync, 0, 3, 14, "0 1/3 4/9  0 3/14 75/196  - 1/2 - -"},
    {"lost update", sim_lost_update_main, 0, 5, 9, "0 1/5 7/25  0 1/9 16/81  - 1/4 - 2/3"},
    {"ABBA", sim_abba, 0, 3, 8, "0 1/3 4/9  0 1/8 15/64  - 1/2 - -"},
    {"reorder(2)", sim_reorder, 2, 5, 6, "0 2/15 6/25  0 1/9 11/54  - 2/9 14/45 -"},
    {"twostage(1)", sim_two_stage, 1, 6, 12, "0 1/12 7/72  0 1/8 3/16  - 1/8 - -"},
};

/* The next number of the shares; -1 if it is not known. */
static double next_share(const char **at) {
    char *end;
    *at += strspn(*at, " ");
    if (**at == '-') {
        ++*at;
        return -1;
    }
    double over = strtod(*at, &end), under = *end == '/' ? strtod(end + 1, &end) : 1;
    assert_ptr_not_equal(end, *at);
    *at = end;
    return over / under;
}

static void check_plan(const struct row *row, const char *what, double share, struct rd_plan plan) {
    struct sim_program p = sim_make(row->build, row->n, 0);
    if (share >= 0)
        check_share(row->name, what, failures(&p, plan), share);
}

static void check_row(void **state) {
    const struct row *row = *state;
    const char *at = row->shares;
    for (uint32_t d = 1; d <= 3; d++)
        check_plan(row, "pct", next_share(&at), (struct rd_plan){.picker = RD_PICK_PCT, .a = d, .b = row->points});
    for (uint32_t d = 1; d <= 3; d++)
        check_plan(row, "pct as published", next_share(&at),
                   (struct rd_plan){.picker = RD_PICK_PCT, .a = d, .b = row->steps, .ask_always = 1});
    check_plan(row, "pos", next_share(&at), (struct rd_plan){.picker = RD_PICK_POS, .ask_always = 1});
    check_plan(row, "rapos", next_share(&at), (struct rd_plan){.picker = RD_PICK_RAPOS, .ask_always = 1});
    /* These run as searches: they learn the weights from an execution that ends without a finding. */
    static const char *const learning[] = {"urw", "surw"};
    for (size_t i = 0; i < RD_COUNT(learning); i++) {
        double share = next_share(&at);
        struct sim_program p = sim_make(row->build, row->n, 0);
        struct sim_result r;
        if (share < 0)
            continue;
        sim_explore(&p, learning[i], &(struct sim_options){.executions_max = RUNS, .seed = SEED}, &r);
        check_share(row->name, learning[i], r.asserts + r.deadlocks, share);
    }
    assert_int_equal(*at, 0);
}

/* An execution that is longer than the search assumes makes the search count anew; then it knows n and k. */
static void pct_learns_how_long_executions_are(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_reorder, 2, 0);
    struct sim_result r;
    sim_explore(&p, "pct:d=2", &(struct sim_options){.executions_max = RUNS, .seed = SEED}, &r);
    check_share(p.name, "search", r.asserts, 2 / 15.);
    assert_false(r.complete);
    sim_explore(&p, "pct:d=2,published", &(struct sim_options){.executions_max = RUNS, .seed = SEED}, &r);
    check_share(p.name, "search", r.asserts, 1 / 9.);
}

static void where_is_thread_2(void *ctx, const struct sim *s) {
    for (uint32_t i = 0; i < s->rec.out->steps; i++)
        ((uint64_t *)ctx)[i] += s->rec.steps[i].tid == 2;
}

/* Two of the five interleavings of figure 1 are never run: others of the same partial orders are. */
static void rapos_leaves_out_interleavings(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_rapos1, 0, 0);
    uint64_t at[5] = {0};
    struct sim_result r;
    struct sim_options o = {.executions_max = RUNS, .seed = SEED, .seen = where_is_thread_2, .ctx = at};
    sim_explore(&p, "rapos", &o, &r);
    static const double share[] = {1 / 2., 1 / 4., 0, 0, 1 / 4.};
    for (int i = 0; i < 5; i++)
        check_share(p.name, "an interleaving", at[i], share[i]);
}

static int is_zero(const int *reg) { return reg[0] == 0; }

/* While the other thread does not touch X, the loop's read depends on no other operation. */
static void rapos_lets_no_thread_wait_for_ever(void **state) {
    (void)state;
    struct sim_program p = {.name = "a loop"};
    enum { X, Y, AGAIN = 0 };
    SIM_THREAD(&p, do_label(AGAIN), do_read(X, 0), do_if(is_zero, AGAIN));
    SIM_THREAD(&p, do_write(Y, 1), do_write(X, 1));
    struct sim_result r;
    sim_explore(&p, "rapos", &(struct sim_options){.executions_max = 200, .seed = SEED}, &r);
    assert_int_equal(r.ok, 200);
    assert_int_equal(r.fair_tails, 0);
}

struct tally {
    uint64_t key[16], hits[16];
    uint32_t count;
};

static void count_key(struct tally *t, uint64_t key) {
    uint32_t i = 0;
    while (i < t->count && t->key[i] != key)
        i++;
    assert_true(i < RD_COUNT(t->key));
    t->count = RD_MAX(t->count, i + 1);
    t->key[i] = key;
    t->hits[i]++;
}

static void count_schedule(void *ctx, const struct sim *s) {
    uint64_t key = 0;
    for (uint32_t i = 0; i < s->rec.out->steps; i++)
        key = key * 8 + s->rec.steps[i].tid;
    count_key(ctx, key);
}

/* Counts the order of the operations on the variable that the execution tracks. */
static void count_order(void *ctx, const struct sim *s) {
    uint64_t key = 0;
    for (uint32_t i = 0; i < s->rec.out->steps; i++)
        if (rd_track_of_step(s->rec.track, 1, &s->rec.steps[i]))
            key = key * 8 + s->rec.steps[i].tid;
    count_key(ctx, key);
}

/* Threads that are not created yet count in the weight of their creator: all ten schedules are equally likely. */
static void urw_is_uniform_over_schedules(void **state) {
    (void)state;
    struct sim_program p = {.name = "two children", .main = true};
    SIM_THREAD(&p, do_spawn(1), do_spawn(2));
    SIM_THREAD(&p, do_write(0, 1), do_write(0, 2));
    SIM_THREAD(&p, do_write(1, 1), do_write(1, 2));
    struct tally t = {.count = 0};
    struct sim_result r;
    sim_explore(&p, "urw",
                &(struct sim_options){.executions_max = RUNS, .seed = SEED, .seen = count_schedule, .ctx = &t}, &r);
    assert_int_equal(t.count, 10);
    for (uint32_t i = 0; i < t.count; i++)
        check_share(p.name, "a schedule", t.hits[i], 1 / 10.);
}

/* Only the orders of operations on the variable count, however many other operations the threads have. */
static void surw_is_uniform_over_orders_at_a_variable(void **state) {
    (void)state;
    struct sim_program p = {.name = "two children at a variable", .main = true};
    enum { X, MINE, YOURS };
    SIM_THREAD(&p, do_spawn(1), do_spawn(2));
    SIM_THREAD(&p, do_write(X, 1), do_write(MINE, 1), do_write(MINE, 2), do_write(MINE, 3), do_write(X, 2));
    SIM_THREAD(&p, do_write(YOURS, 1), do_write(X, 3), do_write(X, 4));
    struct tally t = {.count = 0};
    struct sim_options o = {.executions_max = RUNS + 1, .seed = SEED, .seen = count_order, .ctx = &t};
    struct sim_result r;
    sim_explore(&p, "surw", &o, &r);
    assert_int_equal(t.count, 7);
    assert_int_equal(t.hits[0], 1); /* the first execution does not know the variable yet */
    for (uint32_t i = 1; i < t.count; i++)
        check_share(p.name, "an order", t.hits[i], 1 / 6.);
}

static void claims(const struct sim_program *p, const char *strategy, uint32_t executions, const char *sentence) {
    struct sim_search s = sim_search_open(p, strategy, NULL);
    for (uint32_t i = 0; i < executions; i++)
        assert_true(sim_search_next(&s));
    struct rd_claim c = sim_search_claim(&s);
    assert_string_equal(c.proved, sentence);
    assert_false(c.complete);
    sim_search_close(&s);
}

/* There are more variables and events than room: later ones remain unknown, and the search continues. */
static void little_memory_is_enough(void **state) {
    (void)state;
    static const char *const strategies[] = {"surw", "pctvb", "rff"};
    struct sim_program p = sim_make(sim_all_conflict, 3, 4);
    for (size_t i = 0; i < RD_COUNT(strategies); i++) {
        struct sim_search s = sim_search_open(&p, strategies[i], NULL);
        s.params.memory_max = 1 << 18;
        for (uint32_t k = 0; k < 1500; k++)
            assert_true(sim_search_next(&s));
        assert_true(s.arena.used <= s.params.memory_max);
        sim_search_close(&s);
    }
}

#define AT_MOST(d, share, n_k) \
    "a bug of depth " d " was missed with a probability of at most " share ", if it shows with at most " n_k
#define BELOW(share, n) \
    "an execution of this strategy fails with a probability below " share " (confidence 95 %: none of " n " did)"
#define SINCE(share, n)                                                                                           \
    "an execution of this strategy fails with a probability below " share " (confidence 95 %: none of " n " did " \
    "since the last estimate)"

static void the_claim(void **state) {
    (void)state;
    struct sim_program p = {.name = "correct"};
    for (int t = 0; t < 2; t++)
        SIM_THREAD(&p, do_write(0, 1), do_write(0, 2), do_write(0, 3));
    /*
     * One or two executions to learn n and k; then (1 - 1/3)^19, (1 - 1/15)^18, … ^99, (1 - 1/18)^20, rounded up.
     */
    claims(&p, "pct:d=1", 1, "");
    claims(&p, "pct:d=1", 20, AT_MOST("1", "0.00046", "3 threads and 3 points with a choice"));
    claims(&p, "pct:d=2", 20, AT_MOST("2 or less", "0.29", "3 threads and 5 points with a choice"));
    claims(&p, "pct:d=2", 101,
           AT_MOST("2 or less", "0.0011", "3 threads and 5 points with a choice") "; " SINCE("0.031", "99"));
    claims(&p, "pct:d=6", 101, "97 executions are too few to tell of bugs of depth 6; " SINCE("0.031", "97"));
    claims(&p, "pct:d=2,published", 21, AT_MOST("2 or less", "0.32", "3 threads and 6 steps"));
    struct sim_program bad = sim_make(sim_rank1, 0, 0);
    claims(&bad, "pct:d=1", 100, "");
    claims(&p, "random", 29, "");
    claims(&p, "random", 200, BELOW("0.015", "200"));
    claims(&bad, "random", 100, "");
    claims(&p, "pos", 29, "");
    claims(&p, "pos", 200, BELOW("0.015", "200"));
    claims(&bad, "pos", 100, "");
    claims(&p, "rapos", 200, BELOW("0.015", "200"));
    claims(&p, "urw", 201, SINCE("0.015", "200"));
    claims(&bad, "urw", 100, "");
    claims(&p, "surw", 201, SINCE("0.015", "200"));
    claims(&bad, "surw", 100, "");
}

/* One class was seen 26 times, one twice, two once. */
static void unseen_orders_are_estimated(void **state) {
    (void)state;
    static char memory[1 << 14];
    struct rd_arena a;
    struct rd_sampled s;
    struct rd_outcome out = {.verdict = RD_PASSED};
    struct rd_record r = {.out = &out};
    struct rd_text t;
    rd_arena_init(&a, memory, sizeof memory);
    rd_sampled_open(&s, &a, 0);
    for (unsigned distribution = 0; distribution < 2; distribution++) {
        struct rd_claim c = {.classes = 0};
        for (uint64_t i = 0; i < 29; i++) {
            out.class_hash[0] = i < 25 ? 1 : i < 27 ? 2 : i;
            assert_true(rd_sampled_add(&s, &r));
        }
        rd_text_init(&t, c.proved, sizeof c.proved);
        rd_sampled_claim(&s, &t, &c);
        assert_true(c.classes == 0); /* too few executions for an estimate */
        out.class_hash[0] = 1;
        rd_sampled_add(&s, &r);
        out.verdict = RD_CUT; /* a cut execution does not count */
        assert_false(rd_sampled_add(&s, &r));
        out.verdict = RD_PASSED;
        rd_sampled_claim(&s, &t, &c);
        assert_true(c.classes == 4.5 && c.fresh == 2 / 30.);
        rd_sampled_anew(&s);
    }
}

/* A sampler whose memory is full continues without the estimate, and with its other claims. */
static void little_memory_costs_the_estimate(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_all_conflict, 3, 2);
    struct sim_search s = sim_search_open(&p, "random", NULL);
    s.params.memory_max = 20 * 128;
    for (uint32_t i = 0; i < 200; i++)
        assert_true(sim_search_next(&s));
    struct rd_claim c = sim_search_claim(&s);
    assert_true(c.classes == 0 && s.search->keeps_within);
    assert_string_equal(c.proved, BELOW("0.015", "200"));
    sim_search_close(&s);
}

/* reorder(3) has 510 classes. Fewer are seen, and the estimate is nearer to the truth than their number. */
static void the_estimate_is_nearer_than_the_seen_number(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_reorder, 3, 0);
    struct sim_search s = sim_search_open(&p, "pos", NULL);
    struct rd_map seen = {.room = 0};
    uint32_t orders = 0, fresh = 0;
    for (uint32_t i = 0; i < 600; i++) {
        assert_true(sim_search_next(&s));
        const uint64_t *order = s.sim->rec.out->class_hash;
        bool new = (*rd_map_put(&seen, &s.arena, order[0] ^ order[1]))++ == 0;
        orders += new;
        fresh += new &&i >= 500;
        if (i != 499)
            continue;
        struct rd_claim c = sim_search_claim(&s);
        assert_true(orders < 400 && c.classes > orders && c.classes < 510);
        fresh = 0;
        assert_true(c.fresh > 0.2 && c.fresh < 0.6);
    }
    assert_true(fresh > 20 && fresh < 60); /* new classes in the next 100 executions */
    sim_search_close(&s);
}

static void bad_depths_are_refused(void **state) {
    (void)state;
    struct rd_params params = {.seed = 1};
    struct rd_error error;
    static const char *const bad[] = {"pct:d=0", "pct:d=33", "pct:d=100000000000000000"};
    for (size_t i = 0; i < RD_COUNT(bad); i++) {
        assert_null(rd_search_parse(bad[i], &params, &error));
        assert_string_equal(error.text, "strategy parameter 'd' of pct must be from 1 to 32");
    }
    assert_non_null(rd_search_parse("pct:d=32", &params, &error));
}

int test_sample(void) {
    static struct CMUnitTest tests[RD_COUNT(rows) + 10] = {
        cmocka_unit_test(pct_learns_how_long_executions_are),
        cmocka_unit_test(rapos_leaves_out_interleavings),
        cmocka_unit_test(rapos_lets_no_thread_wait_for_ever),
        cmocka_unit_test(urw_is_uniform_over_schedules),
        cmocka_unit_test(surw_is_uniform_over_orders_at_a_variable),
        cmocka_unit_test(little_memory_is_enough),
        cmocka_unit_test(the_claim),
        cmocka_unit_test(unseen_orders_are_estimated),
        cmocka_unit_test(the_estimate_is_nearer_than_the_seen_number),
        cmocka_unit_test(little_memory_costs_the_estimate),
        cmocka_unit_test(bad_depths_are_refused),
    };
    for (size_t i = 0; i < RD_COUNT(rows); i++) {
        tests[10 + i] = (struct CMUnitTest){.name = rows[i].name, .test_func = check_row};
        tests[10 + i].initial_state = (void *)&rows[i];
    }
    return cmocka_run_group_tests_name("samplers", tests, NULL, NULL);
}
