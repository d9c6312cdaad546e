/* test_step_edges.c - tests of the arrows of a page: which step had to come before which, and who let whom go on.
 */
#include "unit.h"

#include "report/html/step_edges.h"
#include "trace/place.h"

#include <string.h>

int test_step_edges(void);

#define HEAP(offset) rd_place_make(RD_PLACE_HEAP, offset)
enum { M = 0x40, CV = 0x80, X = 0x100, Y = 0x200 };

static struct rd_thread_info threads[4];
static struct rd_step steps[64];
static struct rd_schedule schedule;
static struct rd_report report;
static struct rd_step_edges edges;

static int set_up(void **state) {
    (void)state;
    memset(steps, 0, sizeof steps);
    schedule = (struct rd_schedule){.threads = threads, .thread_count = 4, .steps = steps};
    report = (struct rd_report){.schedule = &schedule, .symbols = rd_symbols_open(NULL, 0)};
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    rd_step_edges_free(&edges);
    rd_symbols_close(report.symbols);
    return 0;
}

/* Adds a step. `stays`: the thread of the step before could have gone on. Returns its index. */
static uint32_t add(rd_tid tid, unsigned op, uint64_t place, bool stays) {
    uint32_t i = schedule.step_count++;
    bool other = i > 0 && steps[i - 1].tid != tid;
    steps[i] =
        (struct rd_step){.tid = tid, .op = (uint8_t)op, .place = place ? HEAP(place) : 0, .size = 4, .ncand = 1};
    steps[i].flags = (uint8_t)(other ? RD_STEP_SWITCH | (stays ? RD_STEP_PREEMPTION | RD_STEP_COULD_STAY : 0) : 0);
    return i;
}

static uint32_t add_value(rd_tid tid, unsigned op, uint64_t place, uint64_t value) {
    uint32_t i = add(tid, op, place, true);
    steps[i].value = value;
    return i;
}

static bool has(uint32_t from, uint32_t to, enum rd_step_edge_kind kind) {
    for (uint32_t i = 0; i < edges.count; i++)
        if (edges.at[i].from == from && edges.at[i].to == to && edges.at[i].kind == kind)
            return true;
    return false;
}

static uint32_t count_of(enum rd_step_edge_kind kind) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < edges.count; i++)
        n += edges.at[i].kind == kind;
    return n;
}

/* An arrow that others imply is left out; two reads, and accesses to other memory, have none. */
static void order(void **state) {
    (void)state;
    uint32_t x1 = add(1, RD_OP_WRITE, X, true);
    add(1, RD_OP_WRITE, Y, true);
    uint32_t y1 = schedule.step_count - 1, y2 = add(2, RD_OP_READ, Y, true), x2 = add(2, RD_OP_READ, X, true);
    uint32_t y3 = add(3, RD_OP_READ, Y, true), part = add(3, RD_OP_WRITE, X + 2, true);
    rd_step_edges_find(&report, &edges);
    assert_true(has(y1, y2, RD_EDGE_ORDERS));
    assert_false(has(x1, x2, RD_EDGE_ORDERS));
    assert_true(has(y1, y3, RD_EDGE_ORDERS));
    assert_true(has(x2, part, RD_EDGE_ORDERS)); /* the accesses overlap */
    assert_int_equal(edges.count, 3);
}

/* T2 waits for the lock that T1 holds; T3 takes it when it is free. */
static void unblocked(void **state) {
    (void)state;
    add(2, RD_OP_START, 0, true);
    add(1, RD_OP_MUTEX_LOCK, M, true);
    add(2, RD_OP_READ, X, true);
    uint32_t unlock = add(1, RD_OP_MUTEX_UNLOCK, M, false), lock = add(2, RD_OP_MUTEX_LOCK, M, true);
    uint32_t again = add(2, RD_OP_MUTEX_UNLOCK, M, true);
    add(3, RD_OP_START, 0, true);
    uint32_t free_lock = add(3, RD_OP_MUTEX_LOCK, M, true);
    rd_step_edges_find(&report, &edges);
    assert_true(has(unlock, lock, RD_EDGE_UNBLOCKS));
    assert_true(has(again, free_lock, RD_EDGE_ORDERS));
    assert_int_equal(count_of(RD_EDGE_UNBLOCKS), 1);
}

/* A post of a semaphore unblocks a thread that was not enabled, and not one that was. */
static void semaphores(void **state) {
    (void)state;
    for (unsigned enabled = 0; enabled < 2; enabled++) {
        set_up(NULL);
        add(1, RD_OP_START, 0, true);
        uint32_t post = add(2, RD_OP_SEM_POST, M, enabled), wait = add(1, RD_OP_SEM_WAIT, M, true);
        rd_step_edges_find(&report, &edges);
        assert_true(has(post, wait, enabled ? RD_EDGE_ORDERS : RD_EDGE_UNBLOCKS));
        assert_int_equal(count_of(RD_EDGE_UNBLOCKS), !enabled);
        tear_down(NULL);
    }
    set_up(NULL);
}

/* A signal wakes the waiter; a signal that nobody waits for wakes nobody. The lock that it takes again is free. */
static void wakes(void **state) {
    (void)state;
    uint32_t wait = add_value(1, RD_OP_COND_WAIT, CV, HEAP(M));
    steps[wait].flags |= RD_STEP_VALUE2;
    uint32_t signal = add(2, RD_OP_COND_SIGNAL, CV, false), wake = add_value(1, RD_OP_COND_WAKE, CV, HEAP(M));
    steps[wake].flags |= RD_STEP_VALUE2;
    add(2, RD_OP_COND_SIGNAL, CV, true);
    rd_step_edges_find(&report, &edges);
    assert_true(has(signal, wake, RD_EDGE_WAKES));
    assert_int_equal(count_of(RD_EDGE_WAKES), 1);
    assert_int_equal(count_of(RD_EDGE_UNBLOCKS), 0);
}

static void thread_edges(void **state) {
    (void)state;
    uint32_t create = add_value(0, RD_OP_CREATE, 0, 1), start = add(1, RD_OP_START, 0, false);
    uint32_t last = add(1, RD_OP_WRITE, X, true), join = add_value(0, RD_OP_JOIN, 0, 1);
    rd_step_edges_find(&report, &edges);
    assert_true(has(create, start, RD_EDGE_THREAD));
    assert_true(has(last, join, RD_EDGE_UNBLOCKS)); /* main was not enabled at the step after its create */
    assert_false(has(start, join, RD_EDGE_ORDERS));
}

int test_step_edges(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unblocked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(semaphores, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wakes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(thread_edges, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
