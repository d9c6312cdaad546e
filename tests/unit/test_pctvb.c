/*
 * test_pctvb.c - pct with priority changes at few variables: the exact probabilities of the ranking paper's
 * comparison with pct (figure 6), the claim, and which memory counts as one variable. 4000 executions of fixed
 * seeds, accepted within four standard deviations.
 */
#include "unit.h"

#include "search/rank/var_groups.h"
#include "sim_search.h"
#include "trace/place.h"

#include <stdlib.h>
#include <string.h>

enum { RUNS = 4000, SEED = 20 };

static int same(const int *reg) { return reg[0] == reg[1]; }

/* Each thread performs m operations on an unrelated variable, then works on X: three operations on X in all. */
static struct sim_program figure_6(int m) {
    struct sim_program p = {.name = "Rank figure 6"};
    enum { NOISE, X };
    for (int t = 0; t < 2; t++) {
        sim_thread(&p, NULL, 0);
        for (int i = 0; i < m; i++)
            SIM_APPEND(&p, do_read(NOISE, 2));
        if (t == 0)
            SIM_APPEND(&p, do_read(X, 0), do_read(X, 1), do_assert(same));
        else
            SIM_APPEND(&p, do_write(X, 1));
    }
    return p;
}

static uint64_t failures(const struct sim_program *p, const char *strategy, double share) {
    struct sim_result r;
    sim_explore(p, strategy, &(struct sim_options){.executions_max = RUNS, .seed = SEED}, &r);
    double off = (double)r.asserts - RUNS * share;
    if (share == 0 ? r.asserts > 0 : off * off >= 16 * RUNS * share * (1 - share)) {
        print_error("%s: %s: %llu of %d, expected %.1f\n", p->name, strategy, (unsigned long long)r.asserts, RUNS,
                    RUNS * share);
        fail();
    }
    return r.asserts;
}

/*
 * The more operations other variables have, the less often pct finds the bug. For pctvb they are one of two
 * variables.
 */
static void noise_does_not_matter(void **state) {
    (void)state;
    for (int m = 1; m <= 5; m += m) {
        struct sim_program p = figure_6(m);
        uint64_t steps = failures(&p, "pct:d=2,published", 1 / (2.0 * (2 * m + 3)));
        uint64_t at_variables = failures(&p, "pctvb:d=2,v=1", 1 / 12.0);
        assert_true(m == 1 ? steps > at_variables : steps < at_variables);
    }
    struct sim_program p = figure_6(0); /* with one variable pctvb is pct */
    failures(&p, "pctvb:d=2,v=1", 1 / 6.0);
    p = figure_6(1); /* executions that change priorities at both variables */
    failures(&p, "pctvb:d=3,v=2", 7 / 50.0);
}

/* Computed by enumerating all that the search can draw. Some of the bugs need more than one variable. */
static void chances_are_exact(void **state) {
    (void)state;
    static const struct {
        sim_build build;
        int n;
        const char *strategy;
        double over, under;
    } rows[] = {
        {sim_rank3, 0, "pctvb:d=2", 0, 1},     {sim_rank3, 0, "pctvb:d=3", 1, 16},
        {sim_rank4, 0, "pctvb:d=3", 0, 1},     {sim_rank4, 0, "pctvb:d=3,v=2", 1, 72},
        {sim_reorder, 2, "pctvb:d=2", 1, 9},   {sim_reorder, 2, "pctvb:d=3", 5, 27},
        {sim_reorder, 2, "pctvb:v=2", 11, 54},
    };
    for (size_t i = 0; i < RD_COUNT(rows); i++) {
        struct sim_program p = sim_make(rows[i].build, rows[i].n, 0);
        failures(&p, rows[i].strategy, rows[i].over / rows[i].under);
    }
}

static void claims(const struct sim_program *p, const char *strategy, uint32_t executions, const char *sentence) {
    struct sim_search s = sim_search_open(p, strategy, NULL);
    for (uint32_t i = 0; i < executions; i++)
        assert_true(sim_search_next(&s));
    assert_string_equal(sim_search_claim(&s).proved, sentence);
    sim_search_close(&s);
}

#define MISSED(d, share, n_k)                                                        \
    "a bug of depth " d " variables was missed with a probability of at most " share \
    ", if it shows with at most " n_k
#define BELOW(share, n)                                                                                            \
    "; an execution of this strategy fails with a probability below " share " (confidence 95 %: none of " n " did" \
    ")"

static void the_claim(void **state) {
    (void)state;
    struct sim_program p = {.name = "correct"};
    SIM_THREAD(&p, do_read(0, 0), do_write(1, 1), do_write(1, 2));
    SIM_THREAD(&p, do_read(0, 0), do_write(1, 3));
    /* Three executions to profile; then (1 - 1/(2 3 3))^20, (1 - 1/(1 3 5^2))^60, rounded up. */
    claims(&p, "pctvb:d=2,v=1", 3, "");
    claims(&p, "pctvb:d=2,v=1", 23, MISSED("2 at 1 of 2", "0.32", "3 threads and 3 operations on it"));
    claims(&p, "pctvb:d=3,v=2", 63,
           MISSED("3 at 2 of 2", "0.45", "3 threads and 5 operations on them") BELOW("0.050", "60"));
    struct sim_program bad = figure_6(1);
    claims(&bad, "pctvb:d=2,v=1", 100, "");
}

static void bad_parameters_are_refused(void **state) {
    (void)state;
    static const char *const bad[][2] = {
        {"pctvb:d=1", "strategy parameter 'd' of pctvb must be from 2 to 32"},
        {"pctvb:d=33", "strategy parameter 'd' of pctvb must be from 2 to 32"},
        {"pctvb:v=0", "strategy parameter 'v' of pctvb must be from 1 to d - 1"},
        {"pctvb:d=2,v=2", "strategy parameter 'v' of pctvb must be from 1 to d - 1"},
    };
    for (size_t i = 0; i < RD_COUNT(bad); i++) {
        struct rd_params params = {.seed = 1};
        struct rd_error error;
        assert_null(rd_search_parse(bad[i][0], &params, &error));
        assert_string_equal(error.text, bad[i][1]);
    }
}

static struct rd_var var(rd_place first, uint64_t size, uint32_t block, uint32_t global, uint8_t flags) {
    return (struct rd_var){
        .first = first, .size = size, .reads = 3, .writes = 1, .block = block, .global = global, .flags = flags};
}

/*
 * Two heap blocks allocated by one statement and one by another, a structure, and memory that one thread alone
 * uses.
 */
static void memory_that_counts_as_one_variable(void **state) {
    (void)state;
    enum { HERE = 100, THERE = 200 };
    static char memory[1 << 16];
    struct rd_arena a;
    struct rd_profile *p = calloc(1, sizeof *p);
    rd_place heap = rd_place_make(RD_PLACE_HEAP + 1, 0), data = rd_place_make(RD_PLACE_MODULE, 0);
    p->blocks[0] = (struct rd_block){.first = heap, .size = 16, .pc = HERE};
    p->blocks[1] = (struct rd_block){.first = heap + 64, .size = 32, .pc = HERE};
    p->blocks[2] = (struct rd_block){.first = heap + 128, .size = 8, .pc = THERE};
    p->globals[0] = (struct rd_global){.first = data, .size = 24};
    p->vars[p->var_count++] = var(heap + 8, 8, 1, 0, RD_VAR_SHARED);
    p->vars[p->var_count++] = var(data + 16, 8, 0, 1, RD_VAR_SHARED);
    p->vars[p->var_count++] = var(heap + 64, 4, 2, 0, RD_VAR_SHARED);
    p->vars[p->var_count++] = var(data, 4, 0, 1, RD_VAR_SHARED);
    p->vars[p->var_count++] = var(heap + 128, 4, 3, 0, 0);
    p->vars[p->var_count++] = var(heap, 4, 1, 0, RD_VAR_SHARED | RD_VAR_GONE);
    rd_arena_init(&a, memory, sizeof memory);
    struct rd_var_groups g = {.arena = &a};
    p->executions = 0; /* before a thread was created */
    assert_false(rd_var_groups_learn(&g, p));
    p->executions = 2;
    assert_true(rd_var_groups_learn(&g, p));
    assert_false(rd_var_groups_learn(&g, p)); /* no new variable */
    assert_int_equal(g.list.count, 2);
    assert_int_equal(g.list.at[0].uses, 4);
    static const uint32_t both[] = {1, 0};
    struct rd_track t[4];
    bool all;
    assert_int_equal(rd_var_groups_track(&g, both, 2, t, 4, &all), 3);
    assert_true(all && t[0].first == data && t[0].last == data + 23 && t[0].var == 0);
    assert_true(t[1].first == heap && t[1].last == heap + 15 && t[1].var == 1);
    assert_true(t[2].first == heap + 64 && t[2].last == heap + 95 && t[2].var == 1);
    assert_int_equal(rd_var_groups_track(&g, both, 2, t, 2, &all), 2);
    assert_false(all);
    p->vars[4].flags |= RD_VAR_SHARED; /* the block of the other statement is shared, too */
    assert_true(rd_var_groups_learn(&g, p));
    assert_int_equal(g.list.count, 3);
    free(p);
}

int test_pctvb(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_does_not_matter),
        cmocka_unit_test(chances_are_exact),
        cmocka_unit_test(the_claim),
        cmocka_unit_test(bad_parameters_are_refused),
        cmocka_unit_test(memory_that_counts_as_one_variable),
    };
    return cmocka_run_group_tests_name("priorities at variables", tests, NULL, NULL);
}
