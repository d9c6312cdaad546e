/*
 * test_report.c - tests of the report part: words and phrases, the columns, the threads that wait for each other,
 * JSON and HTML. Symbols are in test_symbols.c.
 */
#include "unit.h"

#include "report/format.h"
#include "report/row_selection.h"
#include "report/text/report_text.h"
#include "report/text/trouble.h"
#include "trace/place.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int test_report(void);

#define HEAP(t, offset) rd_place_make(RD_PLACE_HEAP + (t), offset)

static struct rd_thread_info threads[RD_TID_MAX];
static struct rd_step steps[1024];
static struct rd_schedule schedule;
static struct rd_report report;

/* An empty execution of `count` threads, all of them finished, without modules. */
static int set_up(void **state) {
    (void)state;
    memset(threads, 0, sizeof threads);
    memset(steps, 0, sizeof steps);
    for (int i = 0; i < RD_TID_MAX; i++)
        threads[i] = (struct rd_thread_info){.ordinal = (uint16_t)i, .state = RD_T_FINISHED, .holder = RD_TID_NONE};
    schedule = (struct rd_schedule){
        .program = "/srv/me/bank", .cwd = "/srv/me", .threads = threads, .thread_count = 3, .steps = steps};
    schedule.finding.tid = RD_TID_NONE;
    report = (struct rd_report){.schedule = &schedule, .symbols = rd_symbols_open(NULL, 0)};
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    rd_symbols_close(report.symbols);
    return 0;
}

static struct rd_step *add(rd_tid tid, unsigned op, rd_place place) {
    struct rd_step *s = &steps[schedule.step_count++];
    *s = (struct rd_step){.tid = tid, .op = (uint8_t)op, .place = place, .ncand = 1};
    bool other = schedule.step_count > 1 && s[-1].tid != tid;
    s->flags = other ? RD_STEP_SWITCH : 0;
    return s;
}

static void add_access(rd_tid tid, unsigned op, rd_place place, uint64_t value) {
    struct rd_step *s = add(tid, op, place);
    s->value = value;
    s->size = 4;
    s->flags |= RD_STEP_HAS_VALUE;
}

/* The output of the last PRINTED call. */
static char printed[1 << 20];
#define PRINTED(call)                                       \
    do {                                                    \
        FILE *out = fmemopen(printed, sizeof printed, "w"); \
        assert_non_null(out);                               \
        call;                                               \
        fclose(out);                                        \
    } while (0)

static void words(void **state) {
    (void)state;
    char text[128];
    static const struct {
        uint64_t value;
        uint32_t size;
        const char *text;
    } values[] = {{0, 4, "0"},
                  {1, 1, "1"},
                  {0xff, 1, "-1"},
                  {0xffffffff, 4, "-1"},
                  {0xffffffff, 8, "0xffffffff"},
                  {UINT64_MAX, 8, "-1"},
                  {999999, 8, "999999"},
                  {0x100000000020, 8, "0x100000000020"},
                  {(uint64_t)RD_PLACE_STACK << 48 | 0x1000000000040, 8, "stack(T1)-0x40"}};
    for (size_t i = 0; i < RD_COUNT(values); i++) {
        rd_words_value(&report, 0, values[i].value, values[i].size, text, sizeof text);
        assert_string_equal(text, values[i].text);
    }
    assert_string_equal(rd_words_number(0, text), "0");
    assert_string_equal(rd_words_number(999, text), "999");
    assert_string_equal(rd_words_number(1000, text), "1,000");
    assert_string_equal(rd_words_number(UINT64_MAX, text), "18,446,744,073,709,551,615");
    strcpy(threads[2].name, "worker");
    rd_words_thread(&report, 0, text, sizeof text);
    assert_string_equal(text, "T0 (main)");
    rd_words_thread(&report, 2, text, sizeof text);
    assert_string_equal(text, "T2 \"worker\"");
    assert_string_equal(rd_words_path(&report, "/srv/me/src/a.c"), "src/a.c");
    assert_string_equal(rd_words_path(&report, "/srv/mermaid/a.c"), "/srv/mermaid/a.c");
    assert_string_equal(rd_words_signal(SIGSEGV), "SIGSEGV (invalid memory access)");
    assert_string_equal(rd_words_signal(SIGUSR1), "SIGUSR1");
    rd_words_data(&report, HEAP(1, 0x20), text, sizeof text);
    assert_string_equal(text, "heap(T1)+0x20");
    rd_symbols_data(report.symbols, HEAP(1, 0x20), text, sizeof text);
    assert_string_equal(text, "heap block of T1 +0x20");
}

static void expect_phrase(struct rd_waits *w, uint32_t step, const char *expected) {
    char text[RD_PHRASE];
    rd_phrase_step(&report, w, step, text, sizeof text);
    assert_string_equal(text, expected);
}

static void phrases(void **state) {
    (void)state;
    static struct rd_waits w;
    memset(&w, 0, sizeof w);
    rd_place cv = HEAP(0, 8), m = HEAP(0, 16);
    add(0, RD_OP_CREATE, 0)->value = 1;
    for (rd_tid t = 1; t < 3; t++) {
        struct rd_step *s = add(t, RD_OP_COND_WAIT, cv);
        s->value = m;
        s->flags |= RD_STEP_VALUE2;
    }
    add(0, RD_OP_COND_SIGNAL, cv);
    add(0, RD_OP_WAITER, cv)->value = 1;
    add(0, RD_OP_COND_SIGNAL, cv);
    add(2, RD_OP_COND_WAKE, cv);
    add(0, RD_OP_COND_BROADCAST, cv);
    add(0, RD_OP_MUTEX_TRYLOCK, m)->result = EBUSY;
    add(0, RD_OP_MUTEX_UNLOCK, m)->result = EPERM;
    add_access(0, RD_OP_ATOMIC_LOAD, m, 3);
    steps[schedule.step_count - 1].order = 2;
    add_access(0, RD_OP_WRITE, m, 0xffffffff);
    add(0, RD_OP_FENCE, 0)->order = 5;
    add(0, RD_OP_JOIN, 0)->value = 2;
    static const char *const expected[] = {"create T1",
                                           "wait heap(T0)+0x8, unlock heap(T0)+0x10",
                                           "wait heap(T0)+0x8, unlock heap(T0)+0x10",
                                           "signal heap(T0)+0x8",
                                           "-> T2 of T1, T2",
                                           "signal heap(T0)+0x8 -> T1",
                                           "wake heap(T0)+0x8",
                                           "broadcast heap(T0)+0x8 (nobody waits)",
                                           "trylock heap(T0)+0x10 -> busy",
                                           "unlock heap(T0)+0x10 -> EPERM",
                                           "atomic load heap(T0)+0x10 = 3 (acquire)",
                                           "write heap(T0)+0x10 = -1",
                                           "fence",
                                           "join T2"};
    assert_int_equal(schedule.step_count, RD_COUNT(expected));
    for (uint32_t i = 0; i < schedule.step_count; i++)
        expect_phrase(&w, i, expected[i]);
}

static void lost_update(void) {
    rd_place x = HEAP(0, 4);
    add(0, RD_OP_CREATE, 0)->value = 1;
    add(0, RD_OP_CREATE, 0)->value = 2;
    add_access(1, RD_OP_READ, x, 0);
    add_access(2, RD_OP_READ, x, 0);
    steps[3].flags |= RD_STEP_PREEMPTION;
    add_access(2, RD_OP_WRITE, x, 1);
    add_access(1, RD_OP_WRITE, x, 1);
    add(0, RD_OP_JOIN, 0)->value = 1;
    schedule.finding = (struct rd_finding){.kind = RD_ASSERTION,
                                           .tid = 0,
                                           .line = 19,
                                           .file = "none.c",
                                           .function = "int main(void)",
                                           .message = "Assertion `x == 2' failed."};
}

static void columns(void **state) {
    (void)state;
    lost_update();
    struct rd_look look = {.width = 90};
    PRINTED(rd_print_columns(out, &report, &look));
    assert_string_equal(
        printed, "\n"
                 "the execution: 7 steps, 3 threads, 1 preemption\n"
                 "  > another thread goes on   ! a preemption: the thread before could have gone on\n"
                 "\n"
                 "        T0 (main)               T1                      T2\n"
                 "   1    create T1               |\n"
                 "   2    create T2               |                       |\n"
                 "   3 >  |                       read heap(T0)+0x4 = 0   |\n"
                 "   4 !  |                       |                       read heap(T0)+0x4 = 0\n"
                 "   5    |                       |                       write heap(T0)+0x4 = 1\n"
                 "   6 >  |                       write heap(T0)+0x4 = 1\n"
                 "   7 >  join T1\n"
                 "     *  assertion failed                                                        none.c:19\n");
}

static unsigned widest_line(const char *text) {
    unsigned widest = 0, n = 0;
    for (; *text; text++) {
        n = *text == '\n' ? 0 : n + (((unsigned char)*text & 0xc0) != 0x80);
        widest = RD_MAX(widest, n);
    }
    return widest;
}

/* No line of the table is wider than the terminal, for any number of threads. */
static void columns_fit(void **state) {
    (void)state;
    for (uint32_t count = 1; count <= 40; count += count < 12 ? 1 : 14) {
        schedule.step_count = 0;
        schedule.thread_count = count;
        for (uint32_t i = 1; i < count; i++)
            add(0, RD_OP_CREATE, 0)->value = i;
        for (uint32_t i = 0; i < count; i++) {
            struct rd_step *s = add((rd_tid)i, RD_OP_COND_WAIT, HEAP(i, 0x123456));
            s->value = HEAP(i, 0x777777);
            s->flags |= RD_STEP_VALUE2;
        }
        for (unsigned width = 60; width <= 200; width += 35) {
            struct rd_look look = {.width = width, .unicode = width % 2};
            PRINTED({
                FILE *wrapped = rd_wrap_open(out, &look);
                rd_print_columns(wrapped, &report, &look);
                rd_wrap_close(wrapped);
            });
            assert_true(widest_line(printed) <= width);
        }
    }
}

static void long_executions(void **state) {
    (void)state;
    static uint8_t rows[1024];
    for (int i = 0; i < 500; i++)
        add_access(i < 300 ? 1 : 2, RD_OP_READ, HEAP(0, 4 * (uint64_t)i), 0);
    for (uint32_t i = 0; i < 500; i++)
        steps[i].pc = i + 1; /* no loop */
    rd_row_selection_choose(&report, 0, rows);
    for (int i = 0; i < 500; i++)
        assert_int_equal(rows[i], RD_ROW_SHOWN);
    rd_row_selection_choose(&report, 40, rows);
    /* nothing explains the finding: the switch, and what is nearest to the end; two gaps take a line each */
    for (int i = 0; i < 500; i++)
        assert_int_equal(rows[i], i == 300 || i >= 500 - 37 ? RD_ROW_SHOWN : RD_ROW_LEFT_OUT);
    schedule.finding.kind = RD_DEADLOCK;
    threads[1].held_step = 101;
    rd_row_selection_choose(&report, 40, rows);
    assert_int_equal(rows[100], RD_ROW_SHOWN);
    for (uint32_t i = 0; i < 500; i++)
        steps[i].pc = 1; /* a loop, which only the choice for people folds */
    rd_row_selection_fit(&report, 40, rows);
    uint32_t shown = 0;
    for (int i = 0; i < 500; i++)
        shown += rows[i] == RD_ROW_SHOWN;
    assert_in_range(shown, 38, 40);
    assert_int_equal(rows[100], RD_ROW_SHOWN);
    for (uint32_t i = 0; i < 500; i++)
        steps[i].pc = i + 1;
    struct rd_look look = {.width = 100, .rows_max = 40};
    report.schedule_path = "x.sched";
    PRINTED(rd_print_columns(out, &report, &look));
    assert_non_null(strstr(printed, " steps of T1\n"));
    assert_non_null(strstr(printed, "\nall 500 steps: raddle show --all-steps x.sched\n"));
    assert_non_null(strstr(printed, " 101    "));
}

/* A spinning thread is shown with one round, whatever the length of the round. */
static void loops_are_folded(void **state) {
    (void)state;
    static uint8_t rows[1024];
    add(0, RD_OP_CREATE, 0)->value = 1;
    for (int i = 0; i < 300; i++)
        add_access(1, RD_OP_READ, HEAP(0, 4 * (uint64_t)(i % 3)), 0);
    add_access(1, RD_OP_WRITE, HEAP(0, 0), 1);
    rd_row_selection_choose(&report, 40, rows);
    for (uint32_t i = 0; i < schedule.step_count; i++)
        assert_int_equal(rows[i], i >= 4 && i < 301 ? RD_ROW_REPEATED : RD_ROW_SHOWN);
    struct rd_look look = {.width = 100, .rows_max = 40};
    PRINTED(rd_print_columns(out, &report, &look));
    assert_non_null(strstr(printed, "... the same again, 297 steps of T1\n"));
}

static void block(rd_tid tid, rd_place mutex, rd_tid holder, uint32_t since) {
    threads[tid].state = RD_T_READY;
    threads[tid].pending = (struct rd_op){.kind = RD_OP_MUTEX_LOCK, .place = mutex};
    threads[tid].holder = holder;
    threads[tid].held_step = since;
}

static void deadlocks(void **state) {
    (void)state;
    rd_tid cycle[RD_TID_MAX];
    struct rd_look look = {.width = 100};
    schedule.finding = (struct rd_finding){.kind = RD_DEADLOCK, .tid = 1};
    add(0, RD_OP_CREATE, 0)->value = 1;
    add(1, RD_OP_MUTEX_LOCK, HEAP(0, 1));
    add(2, RD_OP_MUTEX_LOCK, HEAP(0, 2));
    block(1, HEAP(0, 2), 2, 3);
    block(2, HEAP(0, 1), 1, 2);
    threads[0].state = RD_T_READY;
    threads[0].pending = (struct rd_op){.kind = RD_OP_JOIN, .arg = 1};
    assert_int_equal(rd_facts_cycle(&report, cycle), 2);
    PRINTED(rd_print_finding(out, &report, &look));
    assert_string_equal(printed, "deadlock: 2 threads wait for each other\n"
                                 "  T1 waits for heap(T0)+0x2, which T2 holds since step 3\n"
                                 "  T2 waits for heap(T0)+0x1, which T1 holds since step 2\n"
                                 "  T0 (main) waits for the end of T1\n"
                                 "  the circle: T1 -> heap(T0)+0x2 -> T2 -> heap(T0)+0x1 -> T1\n");
    rd_place variables[4];
    assert_int_equal(rd_facts_variables(&report, variables, 4), 2);
    block(1, HEAP(0, 2), 1, 0); /* waits for a lock that it holds itself */
    threads[2].state = RD_T_FINISHED;
    assert_int_equal(rd_facts_cycle(&report, cycle), 1);
    PRINTED(rd_print_finding(out, &report, &look));
    assert_non_null(
        strstr(printed, "deadlock: T1 waits for itself\n  T1 waits for heap(T0)+0x2, which it already holds\n"));
    block(1, HEAP(0, 2), 2, 1); /* the holder of the lock has ended */
    assert_int_equal(rd_facts_cycle(&report, cycle), 0);
    PRINTED(rd_print_finding(out, &report, &look));
    assert_non_null(strstr(printed, "which T2 holds since step 1 and took to its end\n"));
    threads[1].pending = (struct rd_op){.kind = RD_OP_COND_WAKE, .place = HEAP(0, 5), .place2 = HEAP(0, 6)};
    threads[1].holder = RD_TID_NONE;
    PRINTED(rd_print_finding(out, &report, &look));
    assert_non_null(strstr(printed, "T1 waits for a signal of heap(T0)+0x5 that nobody is left to send\n"));
}

static void shared_variables(void **state) {
    (void)state;
    rd_place places[4];
    lost_update();
    add_access(1, RD_OP_WRITE, HEAP(1, 0), 1); /* accessed by one thread only */
    add_access(1, RD_OP_READ, HEAP(1, 8), 1);  /* only read */
    add_access(2, RD_OP_READ, HEAP(1, 8), 1);
    assert_int_equal(rd_facts_variables(&report, places, 4), 1);
    assert_true(places[0] == HEAP(0, 4));
}

static void crashes(void **state) {
    (void)state;
    char text[256];
    schedule.finding = (struct rd_finding){.kind = RD_CRASH, .tid = 1, .signal = SIGSEGV, .fault_addr = 0x18};
    rd_facts_message(&report, text, sizeof text);
    assert_string_equal(text, "SIGSEGV (invalid memory access) at address 0x18: a null pointer");
    schedule.finding.fault_addr = RD_FAULT_UNKNOWN;
    rd_facts_message(&report, text, sizeof text);
    assert_string_equal(text, "SIGSEGV (invalid memory access)");
    schedule.finding = (struct rd_finding){.kind = RD_EXIT_STATUS, .status = 3};
    rd_facts_message(&report, text, sizeof text);
    assert_string_equal(text, "the program exited with status 3, 0 was expected");
}

/* A schedule file can say that the finding is at a thread that exists and has no step: that thread has no lane. */
static void a_finding_at_a_thread_without_steps(void **state) {
    (void)state;
    lost_update();
    schedule.finding.kind = RD_CRASH;
    schedule.finding.signal = SIGSEGV;
    schedule.thread_count = 9;
    threads[8].state = RD_T_UNUSED;
    schedule.finding.tid = 8;
    PRINTED(rd_print_columns(out, &report, &(struct rd_look){.width = 100}));
    assert_non_null(strstr(printed, "crash"));
}

static void json_summary(void **state) {
    (void)state;
    lost_update();
    report.execution = 3;
    report.schedule_path = "x.sched";
    struct rd_summary summary = {.executions = 10,
                                 .classes = 4,
                                 .steps = 70,
                                 .threads_max = 3,
                                 .claim = {.preemptions = -1, .delays = -1, .depth = 9}};
    struct rd_run run = {.version = "0.1",
                         .program = "bank",
                         .strategy = "dfs",
                         .isolation = "fork",
                         .points = "all",
                         .guarantee = "all",
                         .summary = &summary,
                         .elapsed_s = 0.5};
    PRINTED(rd_format_find(RD_DOCUMENT_RUN, "json", 4)->run(out, &run, &report, 1, NULL));
    static const char *const parts[] = {"\"executions\": 10,",
                                        "\"distinct_orders\": 4,",
                                        "\"complete\": false,",
                                        "\"depth\": 9",
                                        "\"executions_per_s\": 20.0,",
                                        "\"kind\": \"assertion\",",
                                        "\"line\": 19,",
                                        "\"function\": \"main\",",
                                        "\"execution\": 3,",
                                        "\"preemptions\": 1,",
                                        "\"name\": \"T0 (main)\"",
                                        "\"heap(T0)+0x4\"",
                                        "\"schedule\": \"x.sched\",",
                                        "\"stacks\": []"};
    for (size_t i = 0; i < RD_COUNT(parts); i++)
        if (!strstr(printed, parts[i])) {
            print_error("%s is missing in %s\n", parts[i], printed);
            fail();
        }
    PRINTED(rd_format_find(RD_DOCUMENT_RUN, "json", 4)->run(out, &run, NULL, 0, NULL));
    assert_non_null(strstr(printed, "\"findings\": []\n}\n"));
}

static void html_page(void **state) {
    (void)state;
    lost_update();
    strcpy(schedule.finding.message, "a < b && \"c\"");
    strcpy(threads[1].name, "<script>");
    PRINTED(rd_format_find(RD_DOCUMENT_EXECUTION, "html", 4)->execution(out, &report, NULL));
    assert_non_null(strstr(printed, "a &lt; b &amp;&amp; &quot;c&quot;"));
    assert_non_null(strstr(printed, "T1 &quot;&lt;script&gt;&quot;"));
    char *ours = strstr(printed, "<script type=\"application/json\" id=\"data\">");
    assert_non_null(ours);
    assert_null(memmem(printed, (size_t)(ours - printed), "<script", 7));
    assert_null(strstr(printed, "T1 \"<script>"));
    assert_non_null(strstr(ours, "T1 \\\"\\u003cscript\\u003e\\\""));
    assert_null(strstr(printed, "https:"));
}

/* Each row is found by its name for the documents that it has a help line for, and only there. */
static void formats(void **state) {
    (void)state;
    for (uint32_t i = 0; i < rd_format_count; i++) {
        const struct rd_format *f = rd_formats[i];
        for (unsigned d = RD_DOCUMENT_NONE + 1; d < RD_DOCUMENTS; d++) {
            bool listed = rd_format_writes(f, (enum rd_document)d);
            assert_ptr_equal(rd_format_find((enum rd_document)d, f->name, strlen(f->name)), listed ? f : NULL);
            assert_null(rd_format_find((enum rd_document)d, f->name, strlen(f->name) - 1));
        }
    }
    assert_string_equal(rd_format_default()->name, "text");
}

static void divergences(void **state) {
    (void)state;
    struct rd_look look = {.width = 100};
    struct rd_divergence d = {.step = 6,
                              .tid = 1,
                              .why = RD_DIV_OPERATION,
                              .expected = {.op = RD_OP_MUTEX_LOCK, .pick = 1, .place = HEAP(0, 1)},
                              .actual = {.kind = RD_OP_READ, .place = HEAP(0, 2)}};
    PRINTED(rd_print_divergence(out, &report, &d, false, &look));
    assert_non_null(strstr(printed, "not deterministic"));
    assert_non_null(strstr(printed, "at step 7\n"));
    assert_non_null(strstr(printed, "  expected  T1: lock heap(T0)+0x1\n  instead   T1: read heap(T0)+0x2\n"));
    for (d.why = RD_DIV_NO_THREAD; d.why <= RD_DIV_EARLY; d.why++) {
        PRINTED(rd_print_divergence(out, &report, &d, true, &look));
        assert_non_null(strstr(printed, "did not follow the schedule at step 7"));
    }
}

int test_report(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(words),           T(phrases),
        T(columns),         T(columns_fit),
        T(long_executions), T(loops_are_folded),
        T(deadlocks),       T(shared_variables),
        T(crashes),         T(a_finding_at_a_thread_without_steps),
        T(json_summary),    T(html_page),
        T(formats),         T(divergences),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
