/*
 * test_search.c - searches: the syntax of a strategy, the order in which depth-first search runs executions, and
 * the possible endings of the programs. Counts over many programs are in test_counts.c.
 */
#include "unit.h"

#include "search/search.h"
#include "sim_programs.h"

#include <string.h>

static void strategies_have_names_and_words(void **state) {
    (void)state;
    for (uint32_t i = 0; i < rd_search_count; i++) {
        const struct rd_search *s = rd_searches[i];
        struct rd_params params = {.seed = 1};
        struct rd_error error;
        assert_ptr_equal(rd_search_parse(s->name, &params, &error), s);
        assert_int_equal(params.count, 0);
        assert_true(strlen(s->summary) > 0 && strlen(s->guarantee.sentence) > 0);
    }
    for (uint32_t i = 0; i < RD_PICKERS; i++)
        assert_true(rd_pickers[i] && strlen(rd_pickers[i]->name) > 0 && strlen(rd_pickers[i]->summary) > 0);
}

static void parameters_are_read(void **state) {
    (void)state;
    struct rd_params params = {.seed = 9};
    struct rd_error error;
    const struct rd_search *s = rd_search_parse("auto:sweep=17", &params, &error);
    assert_ptr_equal(s, &rd_search_auto);
    assert_int_equal(params.count, 1);
    assert_int_equal(rd_param_number(&params, "sweep", 5), 17);
    assert_int_equal(rd_param_number(&params, "other", 5), 5);
    assert_int_equal(params.seed, 9); /* the parser does not change the seed */
    assert_ptr_equal(rd_search_parse("auto:", &params, &error), &rd_search_auto);
    assert_int_equal(params.count, 0);
    assert_non_null(rd_search_parse("auto:sweep=999999999999999999", &params, &error));
    assert_true(rd_param_number(&params, "sweep", 0) == 999999999999999999u);
}

static void bad_strategies_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"", "unknown strategy ''"},
        {"df", "unknown strategy 'df'"},
        {"dfss", "unknown strategy 'dfss'"},
        {"DFS", "unknown strategy 'DFS'"},
        {":sweep=1", "unknown strategy ''"},
        {"dfs:sweep=3", "strategy 'dfs' has no parameter 'sweep'; it has: depth"},
        {"auto:swee=3", "strategy 'auto' has no parameter 'swee'; it has: sweep"},
        {"auto:=3", "strategy 'auto' has no parameter ''; it has: sweep"},
        {"auto:sweep", "'sweep' needs a number"},
        {"auto:sweep=", "'sweep=' needs a number"},
        {"auto:sweep=-1", "'sweep=-1' needs a number"},
        {"auto:sweep=1x", "'sweep=1x' needs a number"},
        {"auto:sweep=1 ", "'sweep=1 ' needs a number"},
        {"auto:sweep=1000000000000000000", "needs a number"},
        {"auto:sweep=1,sweep=b", "'sweep=b' needs a number"},
        {"auto:sweep=1,sweep=1", "'sweep' is given twice"},
        {"best:method=f,pb,method=g", "'method' is given twice"},
        {"auto:sweep=1,,", "strategy 'auto' has no parameter ''; it has: sweep"},
        {"pos:d=3", "strategy 'pos' has no parameter 'd'; it has none"},
        {"pctvb:c=3", "strategy 'pctvb' has no parameter 'c'; it has: d, v"},
        {"idfs:step=0", "'step' must be at least 1"},
        {"icb:csb=65536", "'csb' must be at most 65535"},
    };
    for (size_t i = 0; i < RD_COUNT(bad); i++) {
        struct rd_params params = {0};
        struct rd_error error;
        assert_null(rd_search_parse(bad[i].text, &params, &error));
        if (!strstr(error.text, bad[i].says))
            print_error("'%s' gives: %s\n", bad[i].text, error.text);
        assert_non_null(strstr(error.text, bad[i].says));
    }
    char large[512] = "best:method=";
    memset(large + strlen(large), 'f', sizeof large - 1 - strlen(large));
    large[sizeof large - 1] = 0;
    struct rd_params params = {0};
    struct rd_error error;
    assert_null(rd_search_parse(large, &params, &error));
    assert_non_null(strstr(error.text, "is too long"));
    char many[512] = "best:pb";
    for (int i = 0; i < RD_PARAMS_MAX; i++)
        strcat(many, ",pb");
    assert_null(rd_search_parse(many, &params, &error));
    assert_non_null(strstr(error.text, "too many"));
}

struct log {
    char text[32][16]; /* one schedule each: A, B, … for threads 1, 2, …; a digit for the choice of a waiter */
    uint32_t count;
};

static void note(void *ctx, const struct sim *s) {
    struct log *l = ctx;
    RD_CHECK(l->count < RD_COUNT(l->text) && s->rec.out->steps < sizeof l->text[0]);
    char *at = l->text[l->count++];
    for (uint32_t i = 0; i < s->rec.out->steps; i++) {
        const struct rd_step *step = &s->rec.steps[i];
        *at++ = step->op == RD_OP_WAITER ? (char)('0' + step->value) : (char)('A' - 1 + step->tid);
    }
    *at = 0;
}

/* The first execution is the default one, then the deepest untried choice, in ascending order. */
static void dfs_goes_deepest_first(void **state) {
    (void)state;
    static const char *const expected[] = {"AABB", "ABBA", "ABAB", "BBAA", "BAAB", "BABA"};
    struct sim_program p = sim_make(sim_independent, 2, 2);
    struct log l = {.count = 0};
    struct sim_result r;
    sim_explore(&p, "dfs", &(struct sim_options){.seen = note, .ctx = &l}, &r);
    assert_int_equal(l.count, RD_COUNT(expected));
    for (uint32_t i = 0; i < l.count; i++)
        assert_string_equal(l.text[i], expected[i]);
}

/* The search remembers one path, however many executions there are. */
static void dfs_needs_little_memory(void **state) {
    (void)state;
    static _Alignas(16) char region[16384];
    struct sim_program p = sim_make(sim_ring, 4, 0);
    struct sim *s = sim_open();
    struct rd_arena a;
    struct rd_params params = {0};
    struct rd_draft d = {.prefix = s->prefix, .prefix_max = SIM_STEPS_MAX, .sleep = s->sleep, .weight = s->weight};
    rd_arena_init(&a, region, sizeof region); /* a full arena is an RD_BUG */
    void *dfs = rd_search_dfs.open(&a, &params);
    sim_load(s, &p, NULL, NULL);
    uint32_t executions = 0;
    for (; rd_search_dfs.next(dfs, &d) == RD_NEXT_RUN; executions++) {
        sim_run(s, &d.plan);
        rd_search_dfs.feedback(dfs, &d.plan, &s->rec);
    }
    assert_int_equal(executions, 2520);
    sim_close(s);
}

static void dfs_branches_at_the_choice_of_a_waiter(void **state) {
    (void)state;
    struct sim_program p = {.name = "two waiters"};
    enum { M, CV = 0, X = 0 };
    p.main = true;
    SIM_THREAD(&p, do_lock(M), do_spawn(1), do_wait(CV, M), do_write(X, 1), do_unlock(M));
    SIM_THREAD(&p, do_spawn(2), do_lock(M), do_wait(CV, M), do_write(X, 2), do_unlock(M));
    SIM_THREAD(&p, do_lock(M), do_signal(CV), do_signal(CV), do_unlock(M));
    struct sim_result r, all;
    sim_explore(&p, "dfs", NULL, &r);
    sim_enumerate(&p, NULL, &all);
    unit_count(p.name, "executions", r.executions, all.executions);
    unit_count(p.name, "final states", r.finals, all.finals);
    unit_count(p.name, "repeated", r.repeated, 0);
    assert_true(r.complete && r.schedule_sum == all.schedule_sum);
    sim_explore(&p, "dfs", &(struct sim_options){.signal_fifo = true}, &all);
    assert_true(all.executions < r.executions);
}

static void dfs_explores_spurious_wakes(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_consumers, 0, 0); /* `if` around the wait */
    struct sim_result r, all;
    for (uint32_t n = 0; n < 2; n++) {
        struct sim_options o = {.spurious = n};
        sim_explore(&p, "dfs", &o, &r);
        sim_enumerate(&p, &o, &all);
        unit_count(p.name, "executions", r.executions, all.executions);
        assert_true(r.schedule_sum == all.schedule_sum);
        assert_true(n == 0 ? r.asserts == 6 : r.asserts > 6);
    }
    p = sim_make(sim_consumers, 0, 1); /* a `while` around the wait tolerates spurious wake-ups */
    sim_explore(&p, "dfs", &(struct sim_options){.spurious = 2}, &r);
    unit_count(p.name, "asserts", r.asserts + r.deadlocks, 0);
    assert_true(r.executions > 30);
}

static void count_final_x(void *ctx, const struct sim *s) { ((uint32_t *)ctx)[s->vars[0] & 3]++; }
static void count_both_zero(void *ctx, const struct sim *s) {
    *(uint32_t *)ctx += s->reg[0][0] == 0 && s->reg[1][0] == 0;
}

static void final_values_are_those_of_the_memory_model(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_lost_update, 0, 0);
    uint32_t x[4] = {0}, both = 0;
    struct sim_result r;
    sim_explore(&p, "dfs", &(struct sim_options){.seen = count_final_x, .ctx = x}, &r);
    assert_int_equal(x[2], 2);
    assert_int_equal(x[1], 4);
    p = sim_make(sim_store_buffer, 0, 0);
    sim_explore(&p, "dfs", &(struct sim_options){.seen = count_both_zero, .ctx = &both}, &r);
    assert_int_equal(both, 0); /* sequential consistency forbids it */
    unit_count(p.name, "final states", r.finals, 3);
}

static void fewest_preemptions_to_fail(void **state) {
    (void)state;
    static const struct {
        sim_build build;
        int n, k;
        uint32_t fewest;
    } rows[] = {
        {sim_rapos1, 0, 0, 0},    {sim_rank2, 0, 0, 1},        {sim_rank3, 0, 0, 2},   {sim_rank4, 0, 0, 2},
        {sim_rank9, 0, 0, 1},     {sim_rank10, 0, 0, 2},       {sim_rank12, 0, 0, 2},  {sim_split_sync, 0, 0, 1},
        {sim_abba, 0, 0, 1},      {sim_philosophers, 3, 0, 1}, {sim_reorder, 2, 0, 1}, {sim_two_stage, 1, 0, 1},
        {sim_bluetooth, 0, 0, 1}, {sim_consumers, 0, 0, 1},    {sim_slot, 2, 0, 0},
    };
    for (size_t i = 0; i < RD_COUNT(rows); i++) {
        struct sim_program p = sim_make(rows[i].build, rows[i].n, rows[i].k);
        struct sim_result r;
        sim_explore(&p, "dfs", NULL, &r);
        unit_count(p.name, "fewest preemptions that fail", r.fewest_preemptions, rows[i].fewest);
    }
}

static void only_exhaustive_searches_end(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_abba, 0, 0);
    for (uint32_t i = 0; i < rd_search_count; i++) {
        struct sim_result r;
        sim_explore(&p, rd_searches[i]->name, &(struct sim_options){.executions_max = 1000}, &r);
        assert_int_equal(r.complete, !rd_search_samples(rd_searches[i]));
        /* exitblock predicts a deadlock without reaching it */
        bool every_order = rd_searches[i] != &rd_search_exitblock;
        if (r.complete && every_order)
            unit_count(rd_searches[i]->name, "classes of ABBA", r.classes, 3);
    }
}

int test_search(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(strategies_have_names_and_words),
        cmocka_unit_test(parameters_are_read),
        cmocka_unit_test(bad_strategies_are_refused),
        cmocka_unit_test(dfs_goes_deepest_first),
        cmocka_unit_test(dfs_needs_little_memory),
        cmocka_unit_test(dfs_branches_at_the_choice_of_a_waiter),
        cmocka_unit_test(dfs_explores_spurious_wakes),
        cmocka_unit_test(final_values_are_those_of_the_memory_model),
        cmocka_unit_test(fewest_preemptions_to_fail),
        cmocka_unit_test(only_exhaustive_searches_end),
    };
    return cmocka_run_group_tests_name("searches", tests, NULL, NULL);
}
