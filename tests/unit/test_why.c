/*
 * test_why.c - the words that explain why a schedule fails: exactly the established facts, in the report, in JSON
 * and in the file; and a file whose explanation names missing steps is refused.
 */
#include "unit.h"

#include "report/json/json_finding.h"
#include "report/row_selection.h"
#include "report/text/report_text.h"
#include "trace/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { X = 0x40 };
static struct rd_thread_info threads[3];
static struct rd_step steps[5];
static struct rd_schedule schedule;
static struct rd_report report;
static char *printed;

/* A lost update: T1 reads, T2 reads, T2 writes, T1 writes. */
static int set_up(void **state) {
    (void)state;
    static const rd_tid who[] = {0, 1, 2, 2, 1};
    static const uint8_t what[] = {RD_OP_CREATE, RD_OP_READ, RD_OP_READ, RD_OP_WRITE, RD_OP_WRITE};
    memset(steps, 0, sizeof steps);
    for (uint32_t i = 0; i < RD_COUNT(steps); i++) {
        bool other = i > 0 && who[i] != who[i - 1];
        steps[i] = (struct rd_step){.tid = who[i], .op = what[i], .ncand = 2, .size = 4, .fp = 1};
        steps[i].flags = (uint8_t)((other ? RD_STEP_SWITCH : 0) | (i == 2 ? RD_STEP_PREEMPTION : 0));
        steps[i].place = i ? rd_place_make(RD_PLACE_HEAP, X) : 0;
    }
    for (uint32_t i = 0; i < RD_COUNT(threads); i++)
        threads[i] = (struct rd_thread_info){.ordinal = (uint16_t)i, .state = RD_T_FINISHED, .holder = RD_TID_NONE};
    threads[0].parent = RD_TID_NONE;
    schedule = (struct rd_schedule){.program = "/srv/me/bank",
                                    .cwd = "/srv/me",
                                    .threads = threads,
                                    .thread_count = 3,
                                    .steps = steps,
                                    .step_count = 5};
    schedule.finding = (struct rd_finding){.kind = RD_ASSERTION, .message = "wrong"};
    schedule.why = (struct rd_why){.minimised = 1, .preemptions = 7, .switches = 9, .steps = 50, .executions = 33};
    report = (struct rd_report){.schedule = &schedule, .symbols = rd_symbols_open(NULL, 0)};
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    rd_symbols_close(report.symbols);
    free(printed);
    printed = NULL;
    return 0;
}

static const char *why(void) {
    static const struct rd_look look = {0};
    size_t size;
    free(printed);
    FILE *out = open_memstream(&printed, &size);
    rd_print_why(out, &report, &look);
    fclose(out);
    return printed;
}

static void explain(uint32_t critical, uint32_t tried, bool all) {
    schedule.why.explained = 1;
    schedule.why.critical = critical;
    schedule.why.tried = tried;
    schedule.why.all = all;
}

static void says(const char *text) {
    if (!strstr(why(), text))
        fail_msg("'%s' is not in\n%s", text, printed);
}

static void preemptions_that_are_proved_and_enough(void **state) {
    (void)state;
    says("\n  1 preemption is enough (it was found with 7)\n");
    schedule.why.proved = 1;
    says(
        "\n  it takes 1 preemption (it was found with 7): no execution with fewer shows it, at the operations that "
        "are points\n");
    schedule.why.preemptions = 1;
    says("\n  it takes 1 preemption: no execution with fewer");
    steps[2].flags = RD_STEP_SWITCH;
    says("\n  it takes no preemption (it was found with 1)\n");
    schedule.why.proved = 0;
    schedule.why.preemptions = 0;
    assert_string_equal(why(), ""); /* no schedule was made simpler, and no reason is known */
}

/* The variables of preemptions, each once, and the ordered threads if they are known and there is an order. */
static void the_size_of_the_bug(void **state) {
    (void)state;
    char line[128];
    rd_words_data(&report, steps[1].place, line, sizeof line);
    char one[256], more[256];
    snprintf(one, sizeof one, "\n  T1 is interrupted between steps 2 and 5, at %s\n", line);
    says(one);
    schedule.why.ordered_known = 1;
    says(one);
    schedule.why.ordered = 2;
    says(one);
    schedule.why.ordered = 6;
    snprintf(more, sizeof more,
             "\n  T1 is interrupted between steps 2 and 5, at %s; the order of T1 and T2 matters\n", line);
    says(more);
    steps[3].flags = steps[4].flags = RD_STEP_SWITCH | RD_STEP_PREEMPTION; /* at the same variable */
    snprintf(more, sizeof more,
             "T1 is interrupted between steps 2 and 5, T2 between steps 3 and 4, T2 after step 4, at %s; the",
             line);
    says(more);
    steps[2].place = 0; /* of an operation without a place the variable is its thread */
    snprintf(more, sizeof more, ", at %s, T2; the", line);
    says(more);
    steps[2].flags = steps[3].flags = steps[4].flags = RD_STEP_SWITCH;
    says("\n  the order of T1 and T2 matters\n");
}

static void only_established_facts_are_printed(void **state) {
    (void)state;
    explain(3, 1, true);
    says("step 3 decides it: from there on every execution fails (1 was run, and any other is equivalent to it); "
         "before it one passed\n");
    explain(3, 1200, true);
    says("(1,200 were run, and any other is equivalent to one of them)");
    explain(3, 20, false);
    says("step 3 decides it, as far as was tried: from there on every execution of 20 that were run fails; before "
         "it "
         "one passed\n");
    explain(0, 4, true);
    says("no schedule avoids it: every execution fails (4 were run, and any other is equivalent to one of them); "
         "it may not be about the order of threads\n");
    explain(0, 4, false);
    says("no schedule that was tried avoids it: every execution of 4 that were run fails; it may not be about the "
         "order "
         "of threads\n");
    schedule.finding.kind = RD_DATA_RACE;
    says("every execution of 4 that were run shows it\n");
}

static void operations_in_their_order(void **state) {
    (void)state;
    explain(3, 2, true);
    assert_null(strstr(why(), "in this order"));
    schedule.why.before = 2;
    schedule.why.first = 3;
    schedule.why.second = 5;
    schedule.why.second_tid = 1;
    says("  these operations, in this order:\n"
         "    T1  read heap(T0)+0x40 (step 2)\n"
         "    T2  read heap(T0)+0x40 (step 3)\n"
         "    T1  write heap(T0)+0x40 (step 5)\n"
         "  an execution passed in which step 5 of T1 came before step 3 of T2\n");
    schedule.why.second = schedule.why.before = 0;
    threads[1].state = RD_T_READY;
    threads[1].pending = (struct rd_op){.kind = RD_OP_WRITE, .place = steps[1].place};
    schedule.why.second_op = RD_OP_WRITE;
    says("    T2  read heap(T0)+0x40 (step 3)\n"
         "    T1  write heap(T0)+0x40 (it did not get there)\n");
    schedule.why.second_op = RD_OP_MUTEX_LOCK; /* not the next operation either */
    schedule.why.second_place = rd_place_make(RD_PLACE_HEAP, 8);
    says("    T1  lock heap(T0)+0x8 (it did not get there)\n");
    schedule.why.second_op = RD_OP_JOIN;
    says("    T1  join a thread (it did not get there)\n");
}

/* The steps that the explanation names are among the lines shown of a long execution. */
static void steps_that_explain_it_are_shown(void **state) {
    (void)state;
    static struct rd_step many[500];
    uint8_t rows[500];
    schedule.steps = many;
    schedule.step_count = 500;
    for (uint32_t i = 0; i < 500; i++)
        many[i] = (struct rd_step){.tid = i % 2, .op = RD_OP_WRITE, .pc = i};
    explain(301, 2, true);
    schedule.why.before = 201;
    schedule.why.first = 303;
    schedule.why.second = 401;
    rd_row_selection_choose(&report, 60, rows);
    assert_true(rows[300] == RD_ROW_SHOWN && rows[200] == RD_ROW_SHOWN && rows[302] == RD_ROW_SHOWN);
    assert_true(rows[400] == RD_ROW_SHOWN && rows[299] == RD_ROW_SHOWN && rows[100] == RD_ROW_LEFT_OUT);
}

static const char *json(void) {
    size_t size;
    free(printed);
    FILE *out = open_memstream(&printed, &size);
    struct rd_json j = {.out = out};
    rd_json_why(&j, &report);
    fclose(out);
    return printed;
}

static void the_same_for_scripts(void **state) {
    (void)state;
    static const char *const keys[] = {
        "\"preemptions_before\": 7", "\"switches_before\": 9",  "\"steps_before\": 50", "\"proved\": false",
        "\"executions\": 33",        "\"critical_step\": null", "\"explanation\": null"};
    json();
    for (size_t i = 0; i < RD_COUNT(keys); i++)
        assert_non_null(strstr(printed, keys[i]));
    explain(3, 2, false);
    schedule.why.first = 3;
    schedule.why.second_tid = 1;
    assert_non_null(strstr(json(), "\"critical_step\": 3,"));
    assert_non_null(strstr(printed, "\"established\": \"tried\""));
    schedule.why.minimised = 0;
    assert_non_null(strstr(json(), "\"minimised\": null,"));
}

static void it_is_another_one_than_was_found(void **state) {
    (void)state;
    assert_true(rd_why_simpler(&schedule));
    schedule.why.preemptions = 1;
    schedule.why.switches = 3;
    schedule.why.steps = 5;
    assert_false(rd_why_simpler(&schedule));
    schedule.why.steps = 6;
    assert_true(rd_why_simpler(&schedule));
    schedule.why.minimised = 0;
    assert_false(rd_why_simpler(&schedule));
}

/* Steps and threads that the explanation in a file names must be in the file. */
static void an_explanation_by_missing_steps_is_refused(void **state) {
    (void)state;
    char path[] = "/tmp/raddle-unit-why-XXXXXX";
    struct rd_error error;
    close(mkstemp(path));
    schedule.why.ordered_known = 1;
    for (int i = 0; i < 6; i++) {
        struct rd_schedule s;
        schedule.why.ordered = i == 5 ? 9 : 6;
        explain(3, 2, true);
        schedule.why.first = 3;
        schedule.why.second_tid = i == 4 ? 3 : 2;
        schedule.why.second = i == 3 ? 6 : 5;
        schedule.why.before = i == 2 ? 6 : 2;
        schedule.why.critical = i == 1 ? 6 : 3;
        assert_int_equal(rd_schedule_write(&schedule, path, &error), 0);
        int status = rd_schedule_read(&s, path, &error);
        if (i == 0) {
            assert_int_equal(status, 0);
            assert_true(s.why.ordered_known && s.why.ordered == 6);
            rd_schedule_free(&s);
            continue;
        }
        assert_int_equal(status, -1);
        if (i == 5) {
            assert_non_null(strstr(error.text, "it orders threads that it does not have"));
            continue;
        }
        assert_non_null(strstr(error.text, i == 4 ? "explained by thread 3 of 3" : "explained by step 6 of 5"));
    }
    unlink(path);
}

int test_why(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(preemptions_that_are_proved_and_enough, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_size_of_the_bug, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_established_facts_are_printed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(operations_in_their_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(steps_that_explain_it_are_shown, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_same_for_scripts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(it_is_another_one_than_was_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_explanation_by_missing_steps_is_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("why", tests, NULL, NULL);
}
