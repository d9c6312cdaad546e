/*
 * test_outcomes.c - values that a program chooses and conditions that it assumes, with exact counts; comparison of
 * outputs and counting of endings.
 */
#include "unit.h"

#include "explore/outcomes.h"
#include "sim_programs.h"

#include <stdlib.h>
#include <string.h>

enum { X };

static int first_reg(const int *reg) { return reg[0]; }
static int not_two(const int *reg) { return reg[0] != 2; }

static struct sim_result explore(const struct sim_program *p, const char *strategy) {
    struct sim_result r;
    sim_explore(p, strategy, NULL, &r);
    assert_true(r.complete);
    return r;
}

/* Two threads that only choose: 2 orders of the threads, times 3 * 2 values. For classes only the values count. */
static void all_values_are_tried(void **state) {
    (void)state;
    struct sim_program p = {.name = "choose"};
    SIM_THREAD(&p, do_choose(3, 0));
    SIM_THREAD(&p, do_choose(2, 0));
    struct sim_result all;
    sim_enumerate(&p, NULL, &all);
    unit_count(p.name, "by brute force", all.executions, 12);
    unit_count(p.name, "classes", all.classes, 6);
    unit_count(p.name, "dfs", explore(&p, "dfs").executions, 12);
    unit_count(p.name, "icb", explore(&p, "icb").executions, 12);
    unit_count(p.name, "dpor", explore(&p, "dpor").executions, 6);
    unit_count(p.name, "final states", explore(&p, "dpor").finals, 6);
}

static void a_choice_can_fail(void **state) {
    (void)state;
    struct sim_program p = {.name = "choice that fails"};
    SIM_THREAD(&p, do_choose(3, 0), do_assert(not_two));
    SIM_THREAD(&p, do_choose(2, 0));
    assert_true(explore(&p, "dpor").asserts > 0);
    assert_true(explore(&p, "dfs").asserts > 0);
}

/*
 * One thread assumes a condition that holds at the other thread's end: dpor must reach that end although the
 * assumption failed.
 */
static void assumed_conditions_are_reached(void **state) {
    (void)state;
    struct sim_program p = {.name = "assume"};
    SIM_THREAD(&p, do_read(X, 0), do_assume(first_reg), do_assert(first_reg), do_write(X + 1, 1));
    SIM_THREAD(&p, do_lock(0), do_unlock(0), do_write(X, 1));
    struct sim_result all;
    sim_enumerate(&p, NULL, &all);
    assert_true(all.ok > 0 && all.others > 0);
    unit_count(p.name, "asserts", all.asserts, 0);
    unit_count(p.name, "deadlocks", all.deadlocks, 0);
    unit_count(p.name, "classes", all.classes, 2);
    static const char *const strategies[] = {"dfs", "icb", "dpor"};
    for (size_t i = 0; i < RD_COUNT(strategies); i++) {
        struct sim_result r = explore(&p, strategies[i]);
        unit_count(strategies[i], "classes", r.classes, all.classes);
        unit_count(strategies[i], "final states", r.finals, all.finals);
        assert_true(r.ok > 0 && r.others > 0);
    }
}

/* ---- outputs ---- */

static struct rd_channel *channel_with(const char *printed, const char *expected) {
    struct rd_channel shape = {0};
    uint64_t size = rd_channel_layout(&shape, &(struct rd_channel_size){.steps = 8, .store = 64, .outcomes = true});
    struct rd_channel *c = calloc(1, size);
    memcpy(c, &shape, sizeof shape);
    c->execution.outcome.verdict = RD_PASSED;
    c->config.outcomes = 1;
    c->config.expect_output = expected != NULL;
    c->execution.output_size = strlen(printed);
    strcpy(rd_channel_output(c), printed);
    if (expected) {
        strcpy(rd_channel_expected(c), expected);
        c->expected_size = strlen(expected);
    }
    return c;
}

static void the_first_difference(void **state) {
    (void)state;
    static const struct {
        const char *printed, *expected, *message;
    } cases[] = {
        {"a\nb\n", "a\nb\n", NULL},
        {"a\nb\n", "a\nc\n", "line 2 of the output: expected \"c\", printed \"b\""},
        {"a\n", "a\nc\n", "line 2 of the output: expected \"c\", printed nothing more"},
        {"", "x", "line 1 of the output: expected \"x\", printed nothing more"},
        {"a\nb", "a\n", "line 2 of the output: expected nothing more, printed \"b\""},
        {"ab", "ab\n", "line 1 of the output: expected \"ab\", printed \"ab\" without the end of the line"},
        {"ab\n", "ab", "line 1 of the output: expected \"ab\", printed \"ab\" with more after it"},
    };
    for (size_t i = 0; i < RD_COUNT(cases); i++) {
        struct rd_channel *c = channel_with(cases[i].printed, cases[i].expected);
        rd_outcomes_expect(c);
        assert_int_equal(c->execution.outcome.verdict, cases[i].message ? RD_FOUND : RD_PASSED);
        if (cases[i].message) {
            assert_int_equal(c->execution.outcome.finding.kind, RD_OUTPUT);
            assert_string_equal(c->execution.outcome.finding.message, cases[i].message);
            assert_true(c->execution.outcome.finding.key ==
                        rd_outcomes_output_key(cases[i].printed, strlen(cases[i].printed)));
        }
        free(c);
    }
}

static void observe(struct rd_channel *c, rd_tid tid, const char *name, int64_t value) {
    struct rd_observed *o = &c->execution.observed[c->execution.observed_count++];
    *o = (struct rd_observed){.tid = tid, .value = value};
    strcpy(o->name, name);
}

/*
 * The observations of an ending are sorted by name, then by thread, then in the order of the thread's calls,
 * independent of the schedule.
 */
static void endings_are_counted(void **state) {
    (void)state;
    struct rd_channel *c = channel_with("out\n", NULL);
    observe(c, 2, "y", 5);
    observe(c, 1, "y", 7);
    observe(c, 1, "x", -1);
    observe(c, 1, "y", 6);
    rd_outcomes_note(c);
    c->execution.observed_count = 0;
    observe(c, 1, "x", -1);
    observe(c, 1, "y", 7);
    observe(c, 1, "y", 6);
    observe(c, 2, "y", 5);
    rd_outcomes_note(c);
    const struct rd_ending *e = rd_channel_endings(c);
    assert_int_equal(c->result.summary.ending_count, 1);
    assert_int_equal(e->count, 2);
    assert_int_equal(e->output_size, 4);
    assert_int_equal(e->observed_size, strlen("x=-1 y=7,6,5"));
    assert_memory_equal(rd_channel_texts(c) + e->text, "out\nx=-1 y=7,6,5", 16);
    c->execution.observed[0].value = 3;
    rd_outcomes_note(c);
    c->execution.outcome.verdict = RD_DROPPED; /* an assumption failed: such an execution has no ending */
    rd_outcomes_note(c);
    c->execution.outcome.verdict = RD_FOUND;
    c->execution.outcome.finding = (struct rd_finding){.kind = RD_EXIT_STATUS, .status = 3, .key = 9};
    rd_outcomes_note(c);
    c->execution.outcome.finding = (struct rd_finding){.kind = RD_DEADLOCK, .key = 10};
    rd_outcomes_note(c);
    assert_int_equal(c->result.summary.ending_count, 4);
    assert_int_equal(e[2].status, 3);
    assert_true(e[2].ended && !e[3].ended);
    free(c);
}

/*
 * A predicted deadlock that an extra execution runs into is an ending, with the number of these executions, until
 * an execution of the search ends in it.
 */
static void predicted_deadlocks_are_endings(void **state) {
    (void)state;
    struct rd_channel *c = channel_with("out\n", NULL);
    const struct rd_ending *e = rd_channel_endings(c);
    rd_outcomes_note(c);
    rd_outcomes_note_extra(c); /* it passed: that is no ending of the search */
    assert_int_equal(e[0].count, 1);
    c->execution.outcome.verdict = RD_FOUND;
    c->execution.outcome.finding = (struct rd_finding){.kind = RD_DEADLOCK, .key = 10};
    rd_outcomes_note_extra(c);
    rd_outcomes_note_extra(c);
    assert_int_equal(c->result.summary.ending_count, 2);
    assert_true(e[1].extra && e[1].count == 2);
    rd_outcomes_note(c);
    rd_outcomes_note_extra(c);
    rd_outcomes_note(c);
    assert_int_equal(c->result.summary.ending_count, 2);
    assert_true(!e[1].extra && e[1].count == 2);
    free(c);
}

int test_outcomes(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_values_are_tried),
        cmocka_unit_test(a_choice_can_fail),
        cmocka_unit_test(assumed_conditions_are_reached),
        cmocka_unit_test(the_first_difference),
        cmocka_unit_test(predicted_deadlocks_are_endings),
        cmocka_unit_test(endings_are_counted),
    };
    return cmocka_run_group_tests_name("outcomes", tests, NULL, NULL);
}
