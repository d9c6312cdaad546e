/*
 * test_recipe.c - a strategy is one file and one row of the table: recipe_strategy.c, which no other file names,
 * can be selected, runs alone and in a team, and runs exactly the expected executions. The same for a priority of
 * `best`, recipe_priority.c.
 */
#include "unit.h"

#include "search/search.h"
#include "sim_search.h"
#include "sim_team.h"

#include <string.h>

enum { DRAWN = 50 };

static void a_row_makes_it_a_strategy(void **state) {
    (void)state;
    struct rd_params params = {.seed = 1};
    struct rd_error error;
    const struct rd_search *s = rd_search_parse("recipe", &params, &error);
    assert_non_null(s);
    assert_string_equal(s->name, "recipe");
    assert_true(rd_search_samples(s) && rd_search_divides(s) && rd_search_may_focus(s, &params));
}

/* Two threads that lock in different orders: the default schedule is one class, its reverse another. */
static void it_runs_alone(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_abba, 0, 0);
    struct sim_result r;
    sim_explore(&p, "recipe", &(struct sim_options){.executions_max = DRAWN}, &r);
    unit_count("recipe", "executions", r.executions, DRAWN);
    unit_count("recipe", "classes of ABBA", r.classes, 2);
    unit_count("recipe", "deadlocks of ABBA", r.deadlocks, 0);
    assert_false(r.complete);
}

/* Workers divide the numbers of executions among them: together they run the executions of one worker. */
static void it_runs_in_a_team(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_abba, 0, 0);
    for (uint32_t workers = 1; workers <= 3; workers++) {
        struct sim_team *t = sim_team_open(&p, "recipe", NULL, workers, 7);
        t->hub->tickets_max = DRAWN;
        uint64_t executions = 0;
        while (sim_team_next(t))
            executions++;
        struct rd_claim c = sim_team_claim(t);
        unit_count("recipe", "executions of a team", executions, DRAWN);
        unit_count("recipe", "classes of a team", (uint64_t)c.classes, 2);
    }
}

/* Two threads with two writes each, AABB first: the early alternatives come first, where the newest would.
 */
static void a_row_makes_it_a_priority(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_independent, 2, 2);
    static const struct {
        const char *strategy, *order[6];
    } rows[] = {{"best:recipe", {"AABB", "BBAA", "BAAB", "ABBA", "ABAB", "BABA"}},
                {"best:equal", {"AABB", "ABBA", "ABAB", "BBAA", "BAAB", "BABA"}}};
    for (size_t i = 0; i < RD_COUNT(rows); i++) {
        struct sim_search s = sim_search_open(&p, rows[i].strategy, NULL);
        char text[16];
        while (sim_search_next(&s))
            assert_string_equal(sim_schedule(s.sim, text, sizeof text), rows[i].order[s.executions - 1]);
        unit_count(rows[i].strategy, "executions", s.executions, 6);
        sim_search_close(&s);
    }
    struct rd_params params = {.seed = 1};
    struct rd_error error;
    assert_non_null(rd_search_parse("best:recipe,pb,reduce", &params, &error));
    assert_null(rd_search_parse("best:unknown", &params, &error));
    assert_non_null(strstr(error.text, "recipe"));
}

int test_recipe(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_makes_it_a_strategy),
        cmocka_unit_test(it_runs_alone),
        cmocka_unit_test(it_runs_in_a_team),
        cmocka_unit_test(a_row_makes_it_a_priority),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
