/*
 * test_best.c - best-first search over the tree of executions: the order of the paper's example, the number of live
 * nodes, every priority against brute force, the marks of the reduction, and the memory budget.
 */
#include "unit.h"

#include "search/por/backtrack_marks.h"
#include "sim_search.h"
#include "trace/place.h"

#include <string.h>

/* All alternatives are equal (recipe_priority.c): the newest comes first. */
#define EQUAL "best:equal"

static void the_example_of_the_paper(void **state) {
    (void)state;
    static const struct {
        const char *strategy;
        const char *order[7];
        uint64_t alive;
    } rows[] = {
        {EQUAL, {"AABB", "ABBA", "ABAB", "BBAA", "BAAB", "BABA"}, 4},
        {"best:pb", {"AABB", "BBAA", "BAAB", "ABBA", "ABAB", "BABA"}, 6},
        {EQUAL ",c=0", {"AABB", "BBAA"}, 0},
        {EQUAL ",c=1", {"AABB", "ABBA", "BBAA", "BAAB"}, 0},
        {EQUAL ",c=2", {"AABB", "ABBA", "ABAB", "BBAA", "BAAB", "BABA"}, 4},
    };
    struct sim_program p = sim_make(sim_independent, 2, 2);
    for (size_t i = 0; i < RD_COUNT(rows); i++) {
        struct sim_search s = sim_search_open(&p, rows[i].strategy, NULL);
        char text[16];
        uint32_t preemptions = 0;
        for (; sim_search_next(&s); preemptions = s.sim->rec.out->preemptions) {
            assert_non_null(rows[i].order[s.executions - 1]);
            const char *got = sim_schedule(s.sim, text, sizeof text);
            if (strcmp(rows[i].strategy, "best:pb") != 0)
                assert_string_equal(got, rows[i].order[s.executions - 1]);
            else
                assert_true(s.sim->rec.out->preemptions >= preemptions);
        }
        assert_null(rows[i].order[s.executions]);
        const struct rd_delta_tree *t = sim_search_tree(&s);
        unit_count(rows[i].strategy, "created", t->created, s.executions);
        unit_count(rows[i].strategy, "destroyed", t->destroyed, s.executions);
        unit_count(rows[i].strategy, "alive at the end", t->alive, 0);
        if (rows[i].alive)
            unit_count(rows[i].strategy, "alive at most", t->alive_max, rows[i].alive);
        sim_search_close(&s);
    }
}

static void few_nodes_are_alive(void **state) {
    (void)state;
    static const struct {
        sim_build build;
        int n, k;
        uint64_t all, stack, pb;
    } rows[] = {
        {sim_independent, 3, 2, 90, 10, 49},
        {sim_philosophers, 3, 0, 168, 16, 93},
        {sim_reorder, 2, 0, 82, 10, 48},
    };
    for (size_t i = 0; i < RD_COUNT(rows); i++) {
        struct sim_program p = sim_make(rows[i].build, rows[i].n, rows[i].k);
        static const char *const strategies[] = {EQUAL, "best:pb", "best:rand"};
        for (size_t k = 0; k < RD_COUNT(strategies); k++) {
            struct sim_search s = sim_search_open(&p, strategies[k], NULL);
            sim_search_rest(&s);
            const struct rd_delta_tree *t = sim_search_tree(&s);
            unit_count(p.name, "executions", s.executions, rows[i].all);
            unit_count(p.name, "created", t->created, rows[i].all);
            unit_count(p.name, "destroyed", t->destroyed, rows[i].all);
            if (k < 2)
                unit_count(p.name, strategies[k], t->alive_max, k ? rows[i].pb : rows[i].stack);
            else
                assert_true(t->alive_max > rows[i].stack && t->alive_max < rows[i].all);
            sim_search_close(&s);
        }
    }
}

static const char *const strategies[] = {
    "best",       "best:pb",      "best:dpor",    "best:ss",       "best:mdpor",         "best:rand",
    "best:pb,ss", "best:ss,dpor", "best:dpor,pb", "best:mdpor,pb", "best:rand,pb,mdpor", "best:pb,pb",
};

enum { LARGE = 500 };

static void every_schedule_once_with_any_priority(void **state) {
    (void)state;
    for (size_t i = 0; i < sim_case_count; i++) {
        if (!unit_takes(i, 5))
            continue;
        struct sim_program p = sim_make(sim_cases[i].build, sim_cases[i].n, sim_cases[i].k);
        struct sim_result all;
        sim_enumerate(&p, NULL, &all);
        for (size_t k = 0; k < RD_COUNT(strategies); k++) {
            struct sim_result r;
            if (all.executions > LARGE && k != i % RD_COUNT(strategies))
                continue; /* in large programs one strategy is enough */
            sim_explore(&p, strategies[k], NULL, &r);
            unit_count(p.name, strategies[k], r.executions, all.executions);
            unit_count(p.name, "repeated", r.repeated, 0);
            assert_true(r.complete && r.schedule_sum == all.schedule_sum);
        }
    }
}

/*
 * If children started at the node's own step, as printed in the paper, each child would create its parent again,
 * for ever.
 */
static void trap_11_children_come_after_the_step_of_their_parent(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_independent, 2, 2);
    struct sim_result r;
    sim_explore(&p, EQUAL, &(struct sim_options){.executions_max = 60}, &r);
    unit_count(p.name, "executions", r.executions, 6);
    unit_count(p.name, "repeated", r.repeated, 0);
    assert_true(r.complete);
}

/*
 * An execution can show a race with a step above its node's own step. The backtracking point of such a race belongs
 * to the ancestor whose range contains that step, and is there already: it is neither created again nor lost.
 */
static void trap_14_a_race_above_the_node_belongs_to_an_ancestor(void **state) {
    (void)state;
    static const char *const with[] = {"best:dpor", "best:mdpor", "best:ss,dpor", "best:ss,mdpor"};
    static const sim_build programs[] = {sim_hidden_read, sim_reorder, sim_last_zero, sim_philosophers};
    for (size_t i = 0; i < RD_COUNT(programs); i++) {
        struct sim_program p = sim_make(programs[i], 3, 0);
        for (size_t k = 0; k < RD_COUNT(with); k++) {
            if (!unit_takes(i + k, 4))
                continue;
            struct sim_result all, r;
            sim_explore(&p, "dfs", NULL, &all);
            sim_explore(&p, with[k], NULL, &r);
            unit_count(p.name, with[k], r.executions, all.executions);
            unit_count(p.name, "repeated", r.repeated, 0);
            unit_count(p.name, "classes", r.classes, all.classes);
        }
    }
}

static void bounds_are_kept_and_claimed(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_philosophers, 3, 0);
    static const struct {
        const char *strategy;
        uint64_t executions;
        int32_t bound;
    } rows[] = {
        {"best:c=0", 6, 0},           {"best:c=1", 57, 1},  {"best:pb,c=2", 129, 2}, {"best:ss,c=1", 57, 1},
        {"best:dpor,ss,c=2", 129, 2}, {"best:c=4", 168, 4}, {"best:rand", 168, 4},
    };
    for (size_t i = 0; i < RD_COUNT(rows); i++) {
        struct sim_search s = sim_search_open(&p, rows[i].strategy, NULL);
        sim_search_rest(&s);
        struct rd_claim c = sim_search_claim(&s);
        unit_count(p.name, rows[i].strategy, s.executions, rows[i].executions);
        assert_int_equal(c.preemptions, rows[i].bound);
        assert_int_equal(c.complete, rows[i].bound == 4);
        sim_search_close(&s);
    }
    struct sim_search s = sim_search_open(&p, "best:pb", NULL);
    static const uint64_t within[] = {6, 57, 129, 150, 168};
    int32_t last = -1;
    while (sim_search_next(&s)) {
        struct rd_claim c = sim_search_claim(&s);
        if (c.preemptions != last)
            unit_count(p.name, "executions of a bound", s.executions, within[c.preemptions]);
        last = c.preemptions;
    }
    assert_int_equal(last, 4);
    sim_search_close(&s);
    /* without an order of preemptions there is no claim before the end */
    s = sim_search_open(&p, "best:rand", NULL);
    for (int i = 0; i < 100; i++) {
        assert_true(sim_search_next(&s));
        struct rd_claim c = sim_search_claim(&s);
        assert_true(c.preemptions == -1 && !c.complete && c.proved[0] == 0);
    }
    sim_search_close(&s);
}

/* Without priorities the order is that of the default; names alone come behind it. */
static void the_default_priorities(void **state) {
    (void)state;
    static const char *const pairs[][2] = {{"best", "best:ss,pb,dpor"},
                                           {"best:c=2", "best:c=2,ss,pb,dpor"},
                                           {"best:var=x", "best:ss,pb,dpor,var=x"},
                                           {"best:var=x,reduce", "best:ss,pb,dpor,var=x,reduce"}};
    struct sim_program p = sim_make(sim_reorder, 2, 0);
    rd_place x = rd_place_make(RD_PLACE_MODULE, 0x10000);
    struct rd_range data = {.first = x, .last = x + 3, .list = RD_NAMES_VAR};
    for (unsigned i = 0; i < RD_COUNT(pairs); i++) {
        struct sim_search s = sim_search_open(&p, pairs[i][0], NULL);
        struct sim_search t = sim_search_open(&p, pairs[i][1], NULL);
        s.params.ranges = t.params.ranges = &data;
        s.params.range_count = t.params.range_count = 1;
        char got[64], expected[64];
        while (sim_search_next(&t)) {
            assert_true(sim_search_next(&s));
            assert_string_equal(sim_schedule(s.sim, got, sizeof got),
                                sim_schedule(t.sim, expected, sizeof expected));
        }
        assert_false(sim_search_next(&s));
        sim_search_close(&s);
        sim_search_close(&t);
    }
}

static void chance_depends_on_the_seed_only(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_reorder, 2, 0);
    uint64_t first[3] = {0};
    for (unsigned i = 0; i < 3; i++) {
        struct sim_search s = sim_search_open(&p, "best:rand", &(struct sim_options){.seed = i < 2 ? 7 : 8});
        for (unsigned n = 0; n < 40; n++)
            assert_true(sim_search_next(&s));
        first[i] = s.sum;
        sim_search_close(&s);
    }
    assert_true(first[0] == first[1] && first[0] != first[2]);
}

/* Runs the default execution of p and marks its backtracking points. */
static struct rd_backtrack_marks look_at(const struct sim_program *p, struct sim *s, struct rd_arena *a) {
    struct rd_backtrack_marks m;
    sim_load(s, p, NULL, NULL);
    sim_run(s, &(struct rd_plan){.picker = RD_PICK_STAY});
    rd_backtrack_marks_open(&m, a, &s->rec);
    rd_backtrack_marks_races(&m, a);
    return m;
}

static void marks_are_those_of_the_reduction(void **state) {
    (void)state;
    static _Alignas(16) char region[1 << 20];
    struct rd_arena a;
    struct sim *s = sim_open();
    rd_arena_init(&a, region, sizeof region);
    struct sim_program p = sim_make(sim_independent, 3, 2); /* no two steps depend on each other */
    struct rd_backtrack_marks m = look_at(&p, s, &a);
    for (uint32_t i = 0; i < s->rec.out->steps; i++)
        for (rd_tid t = 1; t <= 3; t++)
            assert_int_equal(rd_backtrack_marks_of(&m, i, t), 0);
    p = sim_make(sim_rapos1, 0, 0); /* AAAAB: only the write of x races with the read */
    rd_arena_reset(&a);
    m = look_at(&p, s, &a);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(rd_backtrack_marks_of(&m, i, 2), i == 3 ? RD_BACKTRACK_RACE | RD_BACKTRACK_FIRM : 0);
    p = sim_make(sim_abba, 0, 0); /* AAAABBBB: when B has locked b, it has locked a after A's unlock */
    rd_arena_reset(&a);
    m = look_at(&p, s, &a);
    assert_int_equal(rd_backtrack_marks_of(&m, 1, 2), RD_BACKTRACK_RACE | RD_BACKTRACK_FIRM); /* lock b */
    assert_int_equal(rd_backtrack_marks_of(&m, 0, 2), 0);
    /* an unlock does not race with a lock */
    assert_int_equal(rd_backtrack_marks_of(&m, 2, 2) | rd_backtrack_marks_of(&m, 3, 2), 0);
    sim_close(s);
}

/* The post of a semaphore may be the step that enables the wait: such a point is explored, but not first. */
static void points_before_a_release_are_not_firm(void **state) {
    (void)state;
    static _Alignas(16) char region[1 << 20];
    struct rd_arena a;
    struct sim *s = sim_open();
    rd_arena_init(&a, region, sizeof region);
    struct sim_program p = {.name = "post and wait", .sems = {1}};
    SIM_THREAD(&p, do_sem_post(0));
    SIM_THREAD(&p, do_sem_wait(0));
    struct rd_backtrack_marks m = look_at(&p, s, &a);
    assert_int_equal(rd_backtrack_marks_of(&m, 0, 2), RD_BACKTRACK_RACE);
    sim_close(s);
}

/*
 * Independent threads: after the search has left an execution, the thread that ran there is in the sleep set of its
 * siblings.
 */
static void alternatives_taken_above_sleep(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_independent, 2, 2);
    struct sim_search s = sim_search_open(&p, "best:ss", NULL);
    char text[16];
    /* other threads pass the turn to A although A sleeps */
    static const char *const order[] = {"AABB", "ABBA", "BBAA"};
    for (size_t i = 0; i < RD_COUNT(order); i++) {
        assert_true(sim_search_next(&s));
        assert_string_equal(sim_schedule(s.sim, text, sizeof text), order[i]);
    }
    sim_search_rest(&s);
    unit_count(p.name, "executions", s.executions, 6);
    sim_search_close(&s);
}

/* Two threads with unrelated writes: the write at the named place is preempted first. */
static void names_come_first(void **state) {
    (void)state;
    enum { X, Y, Z };
    struct sim_program p = {.name = "noise"};
    SIM_THREAD(&p, do_write(Y, 1), do_write(X, 1), do_write(Y, 2));
    SIM_THREAD(&p, do_write(X, 2), do_write(Z, 1));
    rd_place x = rd_place_make(RD_PLACE_MODULE, 0x10000), code = rd_place_make(RD_PLACE_MODULE, 0x400000);
    struct rd_range data = {.first = x, .last = x + 3, .list = RD_NAMES_VAR};
    struct rd_range function = {
        .first = code + 4, .last = code + 4, .list = RD_NAMES_METHOD}; /* A's second write */
    char text[16];
    for (unsigned i = 0; i < 2; i++) {
        struct sim_search s = sim_search_open(&p, i ? "best:method=f,ss,pb" : "best:var=x,ss,pb", NULL);
        s.params.ranges = i ? &function : &data;
        s.params.range_count = 1;
        assert_true(sim_search_next(&s) && sim_search_next(&s));
        /*
         * with the variable: both writes are of x; with the function: the only preemption at A's second write comes
         * before A's last write
         */
        assert_string_equal(sim_schedule(s.sim, text, sizeof text), "ABBAA");
        sim_search_rest(&s);
        unit_count(p.name, "executions", s.executions, 10);
        assert_true(sim_search_claim(&s).complete);
        sim_search_close(&s);
    }
}

static void the_lowest_priority_is_given_up_first(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_philosophers, 3, 0);
    struct sim_search s = sim_search_open(&p, "best:pb", NULL);
    s.params.memory_max = 64 * sizeof(struct rd_delta_tree_node);
    uint64_t by[8] = {0};
    while (sim_search_next(&s))
        by[RD_MIN(s.sim->rec.out->preemptions, 7u)]++;
    const struct rd_delta_tree *t = sim_search_tree(&s);
    unit_count(p.name, "executions without a preemption", by[0], 6);
    assert_true(t->lost > 0 && s.executions < 168 && by[1] > by[4]);
    struct rd_claim c = sim_search_claim(&s);
    assert_true(c.given_up && !c.complete && c.incomplete == (c.preemptions < 0));
    sim_search_close(&s);
}

int test_best(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_of_the_paper),
        cmocka_unit_test(few_nodes_are_alive),
        cmocka_unit_test(every_schedule_once_with_any_priority),
        cmocka_unit_test(trap_11_children_come_after_the_step_of_their_parent),
        cmocka_unit_test(trap_14_a_race_above_the_node_belongs_to_an_ancestor),
        cmocka_unit_test(bounds_are_kept_and_claimed),
        cmocka_unit_test(the_default_priorities),
        cmocka_unit_test(chance_depends_on_the_seed_only),
        cmocka_unit_test(marks_are_those_of_the_reduction),
        cmocka_unit_test(points_before_a_release_are_not_firm),
        cmocka_unit_test(alternatives_taken_above_sleep),
        cmocka_unit_test(names_come_first),
        cmocka_unit_test(the_lowest_priority_is_given_up_first),
    };
    return cmocka_run_group_tests_name("best first", tests, NULL, NULL);
}
