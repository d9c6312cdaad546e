/*
 * test_io.c - waits for descriptors. The model asks whether they are ready. The engine lets other threads run
 * first, lets virtual time pass, waits for the world outside, and reports a deadlock only when none of these
 * enables a thread.
 */
#include "unit.h"

#include "engine/engine.h"
#include "trace/place.h"
#include "unit_world.h"

#include <errno.h>
#include <string.h>

/* The answers of the world outside, as the runtime would give them. */
static struct {
    bool ready[8];
    uint32_t asked;  /* how often the engine waited for the outside */
    uint64_t ns;     /* the longest time that it was willing to wait, the last time */
    int makes_ready; /* the thread that is ready after the wait, or -1 */
} outside;

static bool io_ready(void *ctx, rd_tid tid) {
    assert_ptr_equal(ctx, &outside);
    return outside.ready[tid];
}

static bool io_outside(void *ctx, uint64_t ns) {
    assert_ptr_equal(ctx, &outside);
    outside.asked++;
    outside.ns = ns;
    if (outside.makes_ready < 0)
        return false;
    outside.ready[outside.makes_ready] = true;
    return true;
}

static struct unit_world u;
static const struct rd_op receive = {.kind = RD_OP_IO_RECEIVE, .addr = 64};

static void the_model_asks(void **state) {
    (void)state;
    struct rd_world *w = unit_world_new(&u);
    memset(&outside, 0, sizeof outside);
    assert_true(unit_can(w, 0, receive)); /* without io_ready the model takes every descriptor as ready */
    w->io_ready = io_ready;
    w->io_ctx = &outside;
    static const uint8_t waiting[] = {RD_OP_IO_RECEIVE, RD_OP_IO_SEND,    RD_OP_IO_POLL,
                                      RD_OP_IO_ACCEPT,  RD_OP_IO_CONNECT, RD_OP_PROCESS_WAIT};
    for (size_t i = 0; i < RD_COUNT(waiting); i++) {
        struct rd_op op = {.kind = waiting[i]};
        outside.ready[0] = false;
        assert_false(unit_can(w, 0, op));
        assert_true(rd_io_waits(w, 0));
        outside.ready[0] = true;
        assert_true(unit_can(w, 0, op));
        assert_int_equal(unit_do(w, 0, op).error, 0);
    }
    outside.ready[0] = false;
    assert_true(unit_can(w, 0, (struct rd_op){.kind = RD_OP_IO_CLOSE}));
    assert_false(rd_io_waits(w, 0));
    assert_true(unit_can(w, 0, (struct rd_op){.kind = RD_OP_IO_CONTROL}));
}

/* ---- an engine with threads 0 and 1, with the pending operations that a test announces ---- */

static struct {
    struct rd_engine e;
    struct rd_arena arena;
    struct rd_outcome out;
    struct rd_step steps[16];
    rd_tid cands[16 * 8 + RD_TID_MAX];
    struct rd_thread_info threads[RD_TID_MAX];
    struct rd_thread_path paths[RD_TID_MAX];
    uint32_t path_count;
    _Alignas(16) char region[1 << 20];
} x;

static struct rd_engine *begin(void) {
    memset(&x.out, 0, sizeof x.out);
    memset(&outside, 0, sizeof outside);
    outside.makes_ready = -1;
    x.path_count = 0;
    rd_arena_init(&x.arena, x.region, sizeof x.region);
    struct rd_record rec = {.out = &x.out,
                            .steps = x.steps,
                            .cands = x.cands,
                            .threads = x.threads,
                            .steps_max = RD_COUNT(x.steps),
                            .cands_max = RD_COUNT(x.cands)};
    rd_engine_begin(&x.e, &x.arena, &rec, x.paths, &x.path_count);
    rd_engine_record(&x.e, &(struct rd_plan){.picker = RD_PICK_STAY},
                     &(struct rd_engine_limits){.steps_max = 16, .fair_after = 16, .yields = 1});
    x.e.world.io_ready = io_ready;
    x.e.world.io_outside = io_outside;
    x.e.world.io_ctx = &outside;
    struct rd_result r;
    struct rd_op create = {.kind = RD_OP_CREATE};
    rd_engine_announce(&x.e, 0, &create);
    assert_int_equal(rd_engine_next(&x.e), 0);
    rd_engine_perform(&x.e, 0, &r);
    return &x.e;
}

static void an_unready_thread_lets_others_run(void **state) {
    (void)state;
    struct rd_engine *e = begin();
    struct rd_op yield = {.kind = RD_OP_YIELD};
    rd_engine_announce(e, 0, &receive);
    rd_engine_announce(e, 1, &yield);
    assert_int_equal(rd_engine_next(e), 1);
    assert_int_equal(outside.asked, 0);
    outside.ready[0] = true; /* the engine asks again at every point */
    rd_engine_announce(e, 1, &receive);
    assert_int_equal(rd_engine_next(e), 0);
    assert_int_equal(outside.asked, 0);
}

static void the_outside_is_waited_for(void **state) {
    (void)state;
    struct rd_engine *e = begin();
    struct rd_op join = {.kind = RD_OP_JOIN, .arg = 1};
    outside.makes_ready = 1;
    rd_engine_announce(e, 0, &join);
    rd_engine_announce(e, 1, &receive);
    assert_int_equal(rd_engine_next(e), 1);
    assert_int_equal(outside.asked, 1);
    assert_true(outside.ns == UINT64_MAX);
}

static void it_is_a_deadlock_when_that_does_not_help(void **state) {
    (void)state;
    struct rd_engine *e = begin();
    rd_engine_announce(e, 0, &receive);
    rd_engine_announce(e, 1, &receive);
    assert_int_equal(rd_engine_next(e), RD_TID_NONE);
    assert_int_equal(outside.asked, 1);
    assert_int_equal(x.out.verdict, RD_FOUND);
    assert_int_equal(x.out.finding.kind, RD_DEADLOCK);

    /* No thread waits for a descriptor: there is no event outside to wait for. */
    e = begin();
    struct rd_op join = {.kind = RD_OP_JOIN, .arg = 1}, lock = {.kind = RD_OP_SEM_WAIT, .addr = 8};
    rd_engine_announce(e, 0, &join);
    rd_engine_announce(e, 1, &lock);
    assert_int_equal(rd_engine_next(e), RD_TID_NONE);
    assert_int_equal(outside.asked, 0);
    assert_int_equal(x.out.finding.kind, RD_DEADLOCK);

    /* … unless a signal may come from outside. */
    e = begin();
    e->world.signals_outside = true;
    rd_engine_announce(e, 0, &join);
    rd_engine_announce(e, 1, &lock);
    assert_int_equal(rd_engine_next(e), RD_TID_NONE);
    assert_int_equal(outside.asked, 1);
}

static void time_passes_if_no_input_comes(void **state) {
    (void)state;
    struct rd_engine *e = begin();
    struct rd_op poll = {.kind = RD_OP_IO_POLL, .deadline = 5000};
    struct rd_result r;
    e->world.clock.now_ns = 2000;
    rd_engine_announce(e, 0, &receive);
    rd_engine_announce(e, 1, &poll);
    assert_int_equal(rd_engine_next(e), 1);
    assert_int_equal(outside.asked, 1);
    assert_int_equal(outside.ns, 3000); /* no longer than until the first deadline */
    rd_engine_perform(e, 1, &r);
    assert_int_equal(r.error, ETIMEDOUT);
    assert_int_equal(e->world.clock.now_ns, 5000);

    /* The engine waits for the outside before a wait times out early, too: its answer may be on the way. */
    e = begin();
    e->world.timeouts = 1;
    outside.makes_ready = 1;
    rd_engine_announce(e, 0, &receive);
    rd_engine_announce(e, 1, &poll);
    assert_int_equal(rd_engine_next(e), 1);
    assert_int_equal(outside.asked, 1);
    rd_engine_perform(e, 1, &r);
    assert_int_equal(r.error, 0);
}

/* A pending signal is not queued a second time; a real-time signal is queued each time that it is sent. */
static void signals_wait_to_be_taken(void **state) {
    (void)state;
    struct rd_world *w = unit_world_new(&u);
    unit_do(w, 0, (struct rd_op){.kind = RD_OP_CREATE});
    static const uint32_t sent[] = {10, 10, 40, 40};
    for (size_t i = 0; i < RD_COUNT(sent); i++)
        unit_do(w, 0, (struct rd_op){.kind = RD_OP_SIGNAL_SEND, .arg = 1, .size = sent[i]});
    unit_do(w, 0, (struct rd_op){.kind = RD_OP_SIGNAL_SEND, .arg = RD_TID_NONE, .size = 40});
    uint64_t both = (uint64_t)1 << 10 | (uint64_t)1 << 40;
    assert_int_equal(rd_signal_take(w, 1, (uint64_t)1 << 11), 0);
    assert_int_equal(rd_signal_take(w, 1, both), 10);
    for (int i = 0; i < 3; i++)
        assert_int_equal(rd_signal_take(w, 1, both), 40);
    assert_int_equal(rd_signal_take(w, 1, both), 0);
}

/* An event with more objects than it can name is ordered after all earlier events of each of them. */
static void events_of_several_objects_are_ordered(void **state) {
    (void)state;
    static struct rd_hb_class o[2];
    static _Alignas(16) char region[2][1 << 19];
    struct rd_op send = {.kind = RD_OP_IO_SEND, .addr = 100}, poll = {.kind = RD_OP_IO_POLL, .addr = 200};
    for (int i = 0; i < 2; i++) {
        static struct rd_arena a[2];
        rd_arena_init(&a[i], region[i], sizeof region[i]);
        rd_hb_class_init(&o[i], &a[i]);
        if (i == 0)
            unit_order(&o[i], 1, &send, RD_TID_NONE);
        unit_order(&o[i], 0, &poll, RD_TID_NONE);
        rd_hb_class_also(&o[i], 0, 100);
        if (i == 1)
            unit_order(&o[i], 1, &send, RD_TID_NONE);
        unit_order(&o[i], 0, &poll, RD_TID_NONE);
    }
    assert_true(o[0].hash[0] != o[1].hash[0] && o[0].hash[1] != o[1].hash[1]);
}

int test_io(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_model_asks),
        cmocka_unit_test(an_unready_thread_lets_others_run),
        cmocka_unit_test(the_outside_is_waited_for),
        cmocka_unit_test(it_is_a_deadlock_when_that_does_not_help),
        cmocka_unit_test(time_passes_if_no_input_comes),
        cmocka_unit_test(signals_wait_to_be_taken),
        cmocka_unit_test(events_of_several_objects_are_ordered),
    };
    return cmocka_run_group_tests_name("descriptors", tests, NULL, NULL);
}
