/*
 * test_claims.c - the text of a claim: the conditions under which it holds, the reasons that make it void, and that
 * no search is called complete then.
 */
#include "unit.h"

#include "unit_summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The result of a finished depth-first search of an instrumented program. */
static int set_up(void **state) {
    (void)state;
    c = calloc(1, sizeof *c);
    c->modules = calloc(RD_MODULES_MAX, sizeof *c->modules);
    c->modules[0].instrumented = 1;
    c->config.timeouts = 3;
    struct rd_summary *s = &c->summary;
    *s = (struct rd_summary){.end = RD_END_COMPLETE, .executions = 7, .threads_max = 2, .classes = 2};
    s->preemptions[0] = 5;
    s->preemptions[1] = 2;
    s->preemptions_max = 1;
    s->claim =
        (struct rd_claim){.preemptions = -1, .delays = -1, .depth = -1, .complete = 1, .done = 1, .estimate = 7};
    strcpy(s->claim.proved, "all was run");
    return 0;
}

static const char *compilers;

static void weigh(bool exhaustive) {
    run = (struct rd_run){.version = "1",
                          .program = "p",
                          .strategy = "s",
                          .isolation = "fork",
                          .points = "all",
                          .compilers = compilers};
    rd_unseen_code_modules(&run.blind, c);
    rd_weigh_claim(&run, c, exhaustive, "samples only");
    rd_find_next(&run, c);
}

static void finished(void **state) {
    (void)state;
    weigh(true);
    assert_true(run.complete && run.all);
    assert_int_equal(run.condition_count, 3);
    assert_int_equal(run.void_count, 0);
    assert_string_equal(run.guarantee, "all was run (sequential consistency; points: synchronisation, atomics and "
                                       "every instrumented access; input fixed)");
    assert_non_null(strstr(print(false), "\ncomplete: all was run (sequential"));
    assert_non_null(strstr(printed, "executions by preemptions: 0: 5, 1: 2\n"));
    print(true);
    assert_non_null(strstr(printed, "\"preemptions\": [\n    5,\n    2\n  ],\n  \"complete\": true,"));
    assert_non_null(strstr(printed, "  \"bounds\": {\n"
                                    "    \"strategy\": \"s\",\n"
                                    "    \"preemptions\": null,\n"
                                    "    \"delays\": null,\n"
                                    "    \"depth\": null,\n"
                                    "    \"complete\": true,\n"
                                    "    \"done\": 1.000000,\n"
                                    "    \"estimate\": 7,\n"
                                    "    \"proved\": \"all was run\",\n"
                                    "    \"likely\": null,\n"
                                    "    \"orders\": null,\n"
                                    "    \"new_order\": null,\n"
                                    "    \"missed\": null,\n"
                                    "    \"conditions\": [\n"
                                    "      \"sequential consistency\",\n"
                                    "      \"points: synchronisation, atomics and every instrumented access\",\n"
                                    "      \"input fixed\"\n"
                                    "    ],\n"
                                    "    \"void\": []\n"
                                    "  },\n"));
}

static bool has_condition(const char *text) {
    for (uint32_t i = 0; i < run.condition_count; i++)
        if (strcmp(run.conditions[i], text) == 0)
            return true;
    return false;
}

static void conditions_in_play(void **state) {
    (void)state;
    c->summary.fairness = 1;
    c->summary.played = RD_PLAYED_TIMED | RD_PLAYED_WAITS | RD_PLAYED_CLOCK;
    c->config.signal_fifo = 1;
    c->config.points = RD_POINTS_SYNC;
    weigh(true);
    assert_true(run.finished);
    assert_true(has_condition("points: synchronisation and atomics"));
    assert_true(has_condition("data that threads share is not accessed without synchronisation (not checked)"));
    c->config.sharing = RD_SHARING_SEARCH;
    c->sharing.version = 1;
    weigh(true);
    assert_false(has_condition("data that threads share is not accessed without synchronisation (not checked)"));
    assert_true(
        has_condition("points: synchronisation, atomics; no other instrumented access raced in any execution "
                      "(checked), so switches at these points are enough (Musuvathi and Qadeer, PLDI 2007, "
                      "section 4)"));
    c->sharing.version = 0;
    weigh(true);
    assert_true(has_condition("points: synchronisation, atomics and every instrumented access"));
    assert_true(has_condition("loops of yields bounded by fairness"));
    assert_true(has_condition("timed waits give up early at most 3 times a thread"));
    assert_true(has_condition("no condition wait wakes without a signal"));
    assert_true(has_condition("a signal wakes the first waiter"));
    assert_true(has_condition("clocks show virtual time, not every time that could be"));
    c->config.spurious = 1;
    c->modules[0].instrumented = 0;
    weigh(true);
    assert_true(has_condition("condition waits wake without a signal at most 1 time an execution"));
    assert_true(has_condition("points: synchronisation calls only, the program is not instrumented"));
}

static void a_bound_that_was_covered(void **state) {
    (void)state;
    c->summary.claim.preemptions = 2;
    c->summary.claim.complete = 0;
    weigh(true);
    assert_true(run.complete && !run.all);
    assert_non_null(strstr(print(false), "complete within the bound: all was run ("));
    print(true);
    assert_non_null(strstr(printed, "\"preemptions\": 2,\n    \"delays\": null,\n    \"depth\": null,\n    "
                                    "\"complete\": false,"));
}

static void stopped_with_a_proved_bound(void **state) {
    (void)state;
    struct rd_claim *k = &c->summary.claim;
    c->summary.end = RD_END_BUDGET;
    c->summary.cut = 12;
    k->preemptions = 1;
    k->complete = 0;
    k->done = 0.25;
    k->estimate = 28;
    weigh(true);
    assert_false(run.complete || run.all);
    print(false);
    assert_non_null(strstr(printed, "in 7 executions, +12 cut short (2 different orders"));
    assert_non_null(strstr(printed, "not complete: stopped at the limit of executions or time\n"
                                    "about 25 % is done, of some 28 executions\n"
                                    "bounded: all was run (sequential"));
    strcpy(k->chance, "pct:d=2: hardly");
    assert_non_null(strstr(print(false), ")\nlikely: pct:d=2: hardly\n"));
    assert_non_null(strstr(print(true), "\"proved\": \"all was run\",\n    \"likely\": \"pct:d=2: hardly\","));
    k->chance[0] = 0;
    print(true);
    assert_non_null(strstr(printed, "\"cut\": 12,"));
    assert_non_null(
        strstr(printed, "\"done\": 0.250000,\n    \"estimate\": 28,\n    \"proved\": \"all was run\","));
    k->proved[0] = 0;
    k->done = k->estimate = 0;
    weigh(true);
    assert_string_equal(run.guarantee, "nothing is proved: the search was not finished");
    assert_non_null(strstr(print(true), "\"done\": null,\n    \"estimate\": null,\n    \"proved\": null,"));
    weigh(false);
    assert_string_equal(run.guarantee, "samples only");
    assert_non_null(strstr(print(false), "\nsampled: stopped after 7 executions\nsamples only\n"));
    c->summary.end = RD_END_MEMORY;
    weigh(true);
    assert_non_null(strstr(print(false), "not complete: stopped at the limit of memory\n"));
}

static void few_preemptions_are_not_listed_when_none_had_them(void **state) {
    (void)state;
    struct rd_summary *s = &c->summary;
    memset(s->preemptions, 0, sizeof s->preemptions);
    s->preemptions[3] = 1;
    s->preemptions[4] = 2;
    s->preemptions_max = 4;
    weigh(true);
    assert_non_null(strstr(print(false), "executions by preemptions: 3: 1, 4: 2\n"));
    s->preemptions[13] = 7;
    s->preemptions_max = 13;
    assert_non_null(
        strstr(print(false), "preemptions: 3: 1, 4: 2, 5: 0, 6: 0, 7: 0, 8: 0, 9: 0, 10: 0, 11 to 13: 7\n"));
    memset(s->preemptions, 0, sizeof s->preemptions);
    s->preemptions[RD_PREEMPTION_COUNTS - 1] = 5;
    s->preemptions_max = RD_PREEMPTION_COUNTS + 8;
    char line[64];
    snprintf(line, sizeof line, "preemptions: %u to %u: 5\n", RD_PREEMPTION_COUNTS - 1u, RD_PREEMPTION_COUNTS + 8u);
    assert_non_null(strstr(print(false), line));
}

/* The condition about accesses without hooks is printed above all where the search has no finding. */
static void compiled(void **state) {
    (void)state;
    static const char *const of[] = {"gcc 12.2.0 -O2", "gcc 12.2.0 -O0"};
    for (unsigned i = 0; i < RD_COUNT(of); i++) {
        char line[128];
        compilers = of[i];
        weigh(true);
        assert_string_equal(run.conditions[2],
                            "accesses that the compiler removed, merged or gave no hook are no points");
        snprintf(line, sizeof line, "compiled by %s: accesses that it removed, merged or gave no hook", of[i]);
        assert_non_null(strstr(print(false), line));
    }
    compilers = NULL;
    weigh(true);
    assert_int_equal(run.condition_count, 3);
    assert_null(strstr(print(false), "compiled by"));
}

/* One reason is enough to make the claim void, for any claim of the search. */
static void voids(void **state) {
    (void)state;
    static const char *const reasons[] = {
        "1 execution depends on when something came from outside the program",
        "2 executions started another process, which is not controlled",
        "in 3 executions nothing new happened for long, or half of --max-steps was reached, and from there on they "
        "were run fairly, not explored",
        "1 execution did not end: what comes after the limit of steps or time was not explored",
        "the memory of the search (--memory) was used up, and part of it was given up",
        "a lock was not held",
        "the program is not deterministic",
        "the program did what cannot be controlled",
        "2 executions reached the limit of 500 steps (--max-steps) before the end, and what comes after it was not "
        "explored",
    };
    for (uint32_t i = 0; i < RD_COUNT(reasons); i++) {
        tear_down(NULL);
        set_up(NULL);
        struct rd_summary *s = &c->summary;
        c->config.memory_max = 5 << 20;
        s->claim.preemptions = 2;
        s->waited_outside = i == 0;
        s->children = i == 1 ? 2 : 0;
        s->fair_tails = i == 2 ? 3 : 0;
        s->hangs = i == 3;
        s->claim.incomplete = i == 4;
        if (i == 5)
            strcpy(s->claim.voids, reasons[i]);
        c->config.steps_max = 500;
        s->limited = i == 8 ? 2 : 0;
        if (i == 6 || i == 7) {
            s->end = RD_END_TROUBLE;
            s->trouble = i == 6 ? RD_DIVERGED : RD_REFUSED;
        }
        weigh(true);
        assert_false(run.complete || run.all);
        assert_int_equal(run.void_count, 1);
        assert_string_equal(run.voids[0], reasons[i]);
        assert_memory_equal(run.guarantee, "nothing is proved: ", 19);
        assert_string_equal(run.guarantee + 19, reasons[i]);
        assert_int_equal(run.uncontrolled_count, i < 2);
        print(true);
        assert_non_null(strstr(printed, "\"preemptions\": null,"));
        assert_non_null(strstr(printed, "\"proved\": null,"));
        assert_non_null(strstr(print(false), "nothing is proved: "));
    }
}

static const char *next(void) {
    weigh(true);
    run.elapsed_s = 10;
    rd_find_next(&run, c);
    return run.next;
}

/*
 * The advice after a search: how long the rest will take if that is known, the next bound, the reason that makes a
 * claim void.
 */
static void advice_after_a_search(void **state) {
    (void)state;
    static const char *const bounds[] = {"; -s icb:c=2 proves the next bound; ",
                                         "; -s delay:d=2 proves the next bound; ",
                                         "; -s delay:d=1 proves a bound that needs few executions; "};
    struct rd_claim *k = &c->summary.claim;
    assert_string_equal(next(), ""); /* complete: no advice is needed */
    c->summary.end = RD_END_BUDGET;
    for (uint32_t i = 0; i < RD_COUNT(bounds); i++) {
        k->preemptions = i == 0 ? 1 : -1;
        k->delays = i == 1 ? 1 : -1;
        k->complete = 0;
        k->done = 0;
        assert_non_null(strstr(next(), bounds[i]));
        assert_memory_equal(run.next, "-t gives it more time; ", 23);
        k->done = 0.25;
        assert_memory_equal(next(), "-t 81 finishes it, if the estimate holds; ", 42);
    }
    assert_non_null(strstr(print(false), "\nnext: -t 81 finishes it"));
    assert_non_null(strstr(print(true), "\"next\": \"-t 81 finishes it"));
    run.findings = 1; /* with a finding, the advice is about the finding */
    assert_null(strstr(print(false), "\nnext: "));
    c->summary.fair_tails = 1;
    assert_memory_equal(next(), "a loop that yields (sched_yield)", 32);
    c->summary.children = 1;
    assert_memory_equal(next(), "let a thread of the test do what comes from outside it", 54);
}

static void one_thread_has_one_schedule(void **state) {
    (void)state;
    c->summary.threads_max = 1;
    weigh(false);
    assert_true(run.complete && run.all);
    assert_string_equal(run.guarantee, "all was run (input fixed)");
}

int test_claims(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    static const struct CMUnitTest tests[] = {
        T(finished),
        T(conditions_in_play),
        T(a_bound_that_was_covered),
        T(few_preemptions_are_not_listed_when_none_had_them),
        T(compiled),
        T(stopped_with_a_proved_bound),
        T(voids),
        T(advice_after_a_search),
        T(one_thread_has_one_schedule),
    };
    return cmocka_run_group_tests_name("claims", tests, NULL, NULL);
}
