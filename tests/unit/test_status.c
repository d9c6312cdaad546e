/*
 * test_status.c - the status lines of a running search: the text about its remaining time, and that inconsistent
 * data in the channel, which can be there for a moment, is not printed.
 */
#include "unit.h"

#include "channel/channel.h"
#include "report/text/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct rd_channel *c;
static char lines[RD_STATUS_LINES][RD_STATUS_LINE];

static int set_up(void **state) {
    (void)state;
    c = calloc(1, sizeof *c);
    strcpy(c->config.strategy, "icb:c=2");
    strcpy(c->result.summary.claim.phase, "executions with 1 preemption");
    c->result.summary.executions = 1234;
    c->result.summary.classes = 56;
    c->result.summary.repeated = 1;
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    free(c);
    return 0;
}

/* The lines as the driver makes them: from a copy of what the search says. */
static void show(const struct rd_pace *p) {
    struct rd_progress now;
    rd_channel_progress(c, &now);
    rd_status(&now, p, lines);
}

static void expect(const struct rd_pace *p, const char *first, const char *second, const char *third) {
    show(p);
    assert_string_equal(lines[0], first);
    assert_string_equal(lines[1], second);
    assert_string_equal(lines[2], third);
}

static const struct rd_pace usual = {.elapsed_s = 12.4, .rate = 4321, .quiet_s = 3.25};

static void shows_the_counts(void **state) {
    (void)state;
    expect(&usual, "raddle: icb:c=2: executions with 1 preemption, 12 s",
           "  1,234 executions, 4,321 a second, 56 orders, 0 findings",
           "  nothing new for 3.2 s, the first schedule repeats exactly");
    c->result.summary.executions = 1;
    c->result.summary.classes = 1;
    c->result.summary.cut = 2000;
    c->result.summary.repeated = 0;
    c->result.summary.claim.phase[0] = 0;
    c->result.summary.claim.classes = 1500.7;
    c->result.summary.found_count = 2;
    c->result.found[1].finding.kind = RD_PREDICTED_DEADLOCK;
    expect(&usual, "raddle: icb:c=2, 12 s",
           "  1 execution (+2,000 cut short), 4,321 a second, 1 order of about 1,500, 1 finding, 1 warning",
           "  nothing new for 3.2 s, determinism not checked");
}

static void says_when_it_is_to_end(void **state) {
    (void)state;
    struct rd_pace p = usual;
    p.stopping = true;
    c->result.summary.executions = c->result.summary.classes = 0;
    c->result.summary.repeated = 0;
    show(&p);
    assert_string_equal(
        lines[0],
        "raddle: icb:c=2: the first execution, 12 s; ending after this execution (Ctrl-C again: at once)");
    assert_string_equal(lines[1], "  0 executions, 4,321 a second, 0 orders, 0 findings");
    assert_string_equal(lines[2], "  nothing new for 3.2 s, determinism not checked yet");
}

/* After the search, its remaining time and its limits are not printed. */
static void shows_the_work_after_the_search(void **state) {
    (void)state;
    c->live.time_max_ns = 60000000000u;
    c->result.summary.minimising = 17;
    expect(&usual, "raddle: icb:c=2 is over: schedules are made simpler, 17 executions, 12 s",
           "  1,234 executions, 4,321 a second, 56 orders, 0 findings",
           "  nothing new for 3.2 s, the first schedule repeats exactly");
}

/* The remaining time is the smallest of the search's estimate and both limits, and never negative. */
static void shows_the_remaining_time(void **state) {
    (void)state;
    static const struct {
        double done, estimate;
        bool or_more;
        double time_s, elapsed_s;
        uint64_t executions_max;
        const char *text;
    } cases[] = {
        {0.25, 4936, false, 0, 60, 0, "25 % of about 4,936 executions, about 3 min left, "},
        {0.05, 24680, true, 0, 6, 0, "at most 5.00 % of about 24,680 executions or more, at least 114 s left, "},
        {0.5, 2000, true, 70, 60, 0,
         "at most 50 % of about 2,000 executions or more, about 10 s until the limit of time, "},
        {0.5, 2000, false, 1000, 60, 5555,
         "50 % of about 2,000 executions, about 1.0 s until the limit of executions, "},
        {0, 0, false, 60, 70, 0, "about 0.0 s until the limit of time, "},
        {0, 0, false, 0, 70, 1000, "about 0.0 s until the limit of executions, "},
        {0, 0, false, 0, 70, 0, ""},
        {1e-9, 1e30, false, 0, 10, 0,
         "less than 0.01 % of about 9,000,000,000,000,000,000 executions, more than a year left, "},
        {1.5, 10, false, 0, 10, 0, ""},
        {NAN, NAN, false, 0, 10, 0, ""},
        {0.5, NAN, false, 0, 10, 0, ""},
        {1, 1234, false, 0, 10, 0, ""},
    };
    for (unsigned i = 0; i < RD_COUNT(cases); i++) {
        char wanted[RD_STATUS_LINE];
        c->result.summary.claim.done = cases[i].done;
        c->result.summary.claim.estimate = cases[i].estimate;
        c->result.summary.claim.or_more = cases[i].or_more;
        c->live.time_max_ns = (uint64_t)(cases[i].time_s * 1e9);
        c->config.executions_max = cases[i].executions_max;
        struct rd_pace p = {.elapsed_s = cases[i].elapsed_s, .rate = 4321, .quiet_s = 0};
        snprintf(wanted, sizeof wanted, "  %snothing new for 0.0 s, the first schedule repeats exactly",
                 cases[i].text);
        show(&p);
        assert_string_equal(lines[2], wanted);
    }
}

/* A text that is being written has no terminator for a moment; numbers make no sense. */
static void survives_half_written_data(void **state) {
    (void)state;
    memset(c->result.summary.claim.phase, 'p', sizeof c->result.summary.claim.phase);
    memset(c->config.strategy, 's', sizeof c->config.strategy - 1);
    c->result.summary.found_count = 1000000;
    c->result.summary.executions = c->result.summary.cut = c->result.summary.classes = UINT64_MAX;
    c->result.summary.claim.classes = INFINITY;
    c->result.summary.claim.done = 1e-300;
    c->result.summary.claim.estimate = 1e300;
    struct rd_pace p = {.elapsed_s = 1e12, .rate = 1e18, .quiet_s = 1e12};
    show(&p);
    for (unsigned i = 0; i < RD_STATUS_LINES; i++)
        assert_true(strlen(lines[i]) < RD_STATUS_LINE);
    assert_non_null(strstr(lines[0], "ssss...: pppp"));
}

int test_status(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    static const struct CMUnitTest tests[] = {
        T(shows_the_counts),         T(says_when_it_is_to_end),     T(shows_the_work_after_the_search),
        T(shows_the_remaining_time), T(survives_half_written_data),
    };
    return cmocka_run_group_tests_name("status", tests, NULL, NULL);
}
