/* test_trace.c - tests of src/trace: names of operations and findings, places, the layout of the channel. */
#include "unit.h"

#include "channel/channel.h"
#include "trace/place.h"

#include <stdlib.h>
#include <string.h>

static void op_names_round_trip(void **state) {
    (void)state;
    for (unsigned k = 0; k < RD_OP_KINDS; k++) {
        assert_int_equal(rd_op_by_name(rd_op_name(k)), k); /* so all names differ */
        assert_null(strpbrk(rd_op_name(k), " \t\n\""));    /* names are single words in files */
    }
    assert_int_equal(rd_op_by_name("no such operation"), RD_OP_KINDS);
    assert_int_equal(rd_op_by_name(""), RD_OP_KINDS);
    assert_string_equal(rd_op_name(RD_OP_KINDS), "?");
    assert_int_equal(rd_op_flags(RD_OP_KINDS), 0);
}

/* The numbers are stored in fingerprints and in the channel: they never change. */
static void op_numbers_are_fixed(void **state) {
    (void)state;
    assert_int_equal(RD_OP_NONE, 0);
    assert_int_equal(RD_OP_START, 1);
    assert_int_equal(RD_OP_CREATE, 3);
    assert_int_equal(RD_OP_MUTEX_LOCK, 11);
    assert_int_equal(RD_OP_COND_WAIT, 16);
    assert_int_equal(RD_OP_WAITER, 20);
    assert_int_equal(RD_OP_READ, 21);
    assert_int_equal(RD_OP_FENCE, 27);
}

static void op_flags_fit_the_kind(void **state) {
    (void)state;
    for (unsigned k = 0; k < RD_OP_KINDS; k++) {
        unsigned f = rd_op_flags(k);
        if (f & (RD_F_READS | RD_F_WRITES | RD_F_YIELD | RD_F_ATOMIC))
            assert_true(f & RD_F_POINT); /* other threads can observe when the operation happens */
        if (f & RD_F_VALUE)
            assert_int_equal(f, RD_F_VALUE);
    }
    assert_int_equal(rd_op_flags(RD_OP_ATOMIC_RMW), RD_F_POINT | RD_F_READS | RD_F_WRITES | RD_F_ATOMIC);
    assert_int_equal(rd_op_flags(RD_OP_READ), RD_F_POINT | RD_F_READS);
}

static void finding_names_round_trip(void **state) {
    (void)state;
    for (unsigned k = 0; k < RD_FINDING_KINDS; k++)
        assert_int_equal(rd_finding_by_name(rd_finding_name(k)), k);
    assert_string_equal(rd_finding_name(RD_PREDICTED_DEADLOCK), "predicted-deadlock");
    assert_string_equal(rd_finding_name(RD_HANG), "hang");
    assert_int_equal(rd_finding_by_name("crush"), RD_FINDING_KINDS);
    assert_string_equal(rd_finding_name(RD_FINDING_KINDS), "?");
}

static void places_split(void **state) {
    (void)state;
    rd_place p = rd_place_make(RD_PLACE_MODULE + 3, 0x123456789abc);
    assert_int_equal(rd_place_region(p), RD_PLACE_MODULE + 3);
    assert_int_equal(rd_place_offset(p), 0x123456789abc);
    assert_int_equal(rd_place_module(p), 3);
    assert_int_equal(rd_place_module(0), -1);
    assert_int_equal(rd_place_module(rd_place_make(RD_PLACE_HEAP + 1, 8)), -1);
    assert_int_equal(rd_place_module(rd_place_make(RD_PLACE_OTHER, 8)), -1);
    assert_int_equal(rd_place_offset(rd_place_make(RD_PLACE_STACK, UINT64_MAX)), 0xffffffffffff);
}

struct span {
    uint64_t from, bytes;
};

static void check_apart(const struct span *s, size_t n, uint64_t header, uint64_t size) {
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(s[i].from % 4096, 0);
        assert_true(s[i].from >= header && s[i].from + s[i].bytes <= size);
        for (size_t j = 0; j < i; j++)
            assert_true(s[i].from >= s[j].from + s[j].bytes || s[j].from >= s[i].from + s[i].bytes);
    }
}

static void channel_arrays_lie_apart(void **state) {
    (void)state;
    static struct rd_channel c;
    for (int detail = 0; detail < 2; detail++) {
        struct rd_channel_size shape = {.steps = 1001, .store = 77, .detail = detail};
        uint64_t size = rd_channel_layout(&c, &shape);
        assert_int_equal(size, c.size);
        assert_int_equal(size % 4096, 0);
        struct span s[] = {
            {c.prefix_at, c.prefix_max * sizeof(struct rd_choice)},
            {c.steps_at, c.steps_max * sizeof(struct rd_step)},
            {c.cands_at, c.cands_max * sizeof(rd_tid)},
            {c.threads_at, RD_TID_MAX * sizeof(struct rd_thread_info)},
            {c.store_at, c.store_max * sizeof(struct rd_step)},
            {c.step_stacks_at, c.steps_max * sizeof(uint64_t[RD_STEP_STACK])},
            {c.stacks_at, RD_TID_MAX * sizeof(uint64_t[RD_STACK_MAX])},
        };
        check_apart(s, RD_COUNT(s) - (detail ? 0 : 2), sizeof c, size);
        assert_true(c.steps_max >= 1001 && c.store_max >= 77);
        assert_int_equal(c.stacks_at != 0, detail);
    }
}

static void channel_record_points_into_it(void **state) {
    (void)state;
    struct rd_channel shape = {0};
    uint64_t size = rd_channel_layout(&shape, &(struct rd_channel_size){.steps = 10, .store = 5});
    struct rd_channel *c = calloc(1, size);
    memcpy(c, &shape, sizeof shape);
    struct rd_record r = rd_channel_record(c);
    assert_ptr_equal(r.out, &c->execution.outcome);
    assert_ptr_equal(r.steps, (char *)c + c->steps_at);
    assert_ptr_equal(r.threads, (char *)c + c->threads_at);
    assert_ptr_equal(r.prefix, rd_channel_prefix(c));
    assert_int_equal(r.steps_max, 10);
    assert_null(r.step_stacks);
    assert_null(r.stacks);
    free(c);
}

static void channel_check_names_the_damage(void **state) {
    (void)state;
    static struct rd_channel c;
    uint64_t size = rd_channel_layout(&c, &(struct rd_channel_size){.steps = 10, .store = 5});
    assert_null(rd_channel_check(&c, size));
    assert_null(rd_channel_check(&c, size + 4096));
    assert_non_null(strstr(rd_channel_check(&c, size - 1), "shorter"));
    assert_non_null(strstr(rd_channel_check(&c, sizeof c - 1), "not a raddle channel"));
    c.version++;
    assert_non_null(strstr(rd_channel_check(&c, size), "versions"));
    c.version--;
    c.header_size++;
    assert_non_null(strstr(rd_channel_check(&c, size), "versions"));
    c.header_size--;
    c.magic ^= 1;
    assert_non_null(strstr(rd_channel_check(&c, size), "not a raddle channel"));
}

static void steps_become_choices(void **state) {
    (void)state;
    struct rd_step steps[] = {
        {.place = 11, .pc = 12, .fp = 13, .tid = 4, .op = RD_OP_COND_SIGNAL, .value = 99},
        {.place = 21, .pc = 22, .fp = 23, .tid = 4, .op = RD_OP_WAITER, .value = 2, .ncand = 3},
    };
    struct rd_choice c[2];
    rd_choices_of_steps(c, steps, 2);
    assert_int_equal(c[0].pick, 4);
    assert_int_equal(c[0].op, RD_OP_COND_SIGNAL);
    assert_int_equal(c[0].place, 11);
    assert_int_equal(c[0].pc, 12);
    assert_int_equal(c[0].fp, 13);
    assert_int_equal(c[1].pick, 2); /* the index of the way, not a thread */
    assert_int_equal(c[1].op, RD_OP_WAITER);
}

static void a_reset_clears_the_last_execution(void **state) {
    (void)state;
    struct rd_channel shape = {0};
    uint64_t size = rd_channel_layout(&shape, &(struct rd_channel_size){.steps = 10, .store = 5});
    struct rd_channel *c = calloc(1, size);
    memcpy(c, &shape, sizeof shape);
    struct rd_record r = rd_channel_record(c);
    c->execution.plan.prefix_count = 3;
    c->live.running = 2;
    c->live.shot_by_watchdog = 1;
    c->execution.outcome = (struct rd_outcome){.verdict = RD_FOUND, .steps = 9, .threads = 3, .fair_tail = 1};
    c->execution.outcome.class_hash[0] = c->execution.outcome.class_hash[1] = 7;
    c->execution.outcome.finding.kind = RD_CRASH;
    strcpy(c->execution.outcome.message, "what was refused");
    r.threads[2].state = RD_T_FINISHED;
    rd_channel_reset(c);
    assert_int_equal(c->execution.outcome.verdict, RD_RUNNING);
    assert_int_equal(c->execution.outcome.steps + c->execution.outcome.threads + c->execution.outcome.fair_tail, 0);
    assert_int_equal(c->execution.outcome.class_hash[0] | c->execution.outcome.class_hash[1], 0);
    assert_int_equal(c->execution.outcome.finding.kind, RD_NO_FINDING);
    assert_string_equal(c->execution.outcome.message, "");
    assert_int_equal(r.threads[2].state, RD_T_UNUSED);
    assert_int_equal(c->live.running + c->live.shot_by_watchdog, 0);
    assert_int_equal(c->execution.plan.prefix_count, 3); /* the plan of the next execution is kept */
    free(c);
}

/* A process that ended without a verdict: the verdict follows from its wait status. */
static void the_wait_status_makes_a_verdict(void **state) {
    (void)state;
    static struct rd_channel c; /* without arrays: its prefix is the header, which is enough to be read */
    struct rd_finding *f = &c.execution.outcome.finding;
    c.config.expect_status = 3;
    c.live.running = 5;
    rd_outcome_by_status(&c, 3 << 8);
    assert_int_equal(c.execution.outcome.verdict, RD_PASSED);
    rd_outcome_by_status(&c, 0);
    assert_int_equal(c.execution.outcome.verdict, RD_FOUND);
    assert_int_equal(f->kind, RD_EXIT_STATUS);
    assert_int_equal(f->status, 0);
    rd_outcome_by_status(&c, 11); /* killed by signal 11 */
    assert_int_equal(f->kind, RD_CRASH);
    assert_int_equal(f->signal, 11);
    assert_int_equal(f->tid, 5);
    uint64_t crash = f->key;
    rd_outcome_by_status(&c, 6);
    assert_true(f->key != crash);
    c.live.shot_by_watchdog = 1;
    rd_outcome_by_status(&c, 9); /* killed by the watchdog without a known reason: no finding */
    assert_int_equal(c.execution.outcome.verdict, RD_REFUSED);
    assert_non_null(strstr(c.execution.outcome.message, "T5 does not end"));
    c.execution.outcome.unseen = RD_UNSEEN_EXEC;
    rd_outcome_by_status(&c, 9);
    assert_int_equal(c.execution.outcome.verdict, RD_REFUSED);
    assert_non_null(strstr(c.execution.outcome.message, "replaced by another program (exec)"));
    c.execution.outcome.unseen = 0;
    c.execution.plan.prefix_count = 4; /* an unused rest of the prefix is a divergence only with `strict` */
    rd_outcome_by_status(&c, 3 << 8);
    assert_int_equal(c.execution.outcome.verdict, RD_PASSED);
    c.execution.plan.strict = 1;
    rd_outcome_by_status(&c, 3 << 8);
    assert_int_equal(c.execution.outcome.verdict, RD_DIVERGED);
    assert_int_equal(c.execution.outcome.divergence.why, RD_DIV_EARLY);
}

int test_trace(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(op_names_round_trip),
        cmocka_unit_test(op_numbers_are_fixed),
        cmocka_unit_test(op_flags_fit_the_kind),
        cmocka_unit_test(finding_names_round_trip),
        cmocka_unit_test(places_split),
        cmocka_unit_test(channel_arrays_lie_apart),
        cmocka_unit_test(channel_record_points_into_it),
        cmocka_unit_test(channel_check_names_the_damage),
        cmocka_unit_test(steps_become_choices),
        cmocka_unit_test(a_reset_clears_the_last_execution),
        cmocka_unit_test(the_wait_status_makes_a_verdict),
    };
    return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
