/*
 * test_loop.c - the loop around a search, in a channel as a worker has it. The simulator runs the executions, or a
 * script makes up their outcomes where a program would have to misbehave; the clock is a counter.
 */
#include "unit.h"

#include "explore/loop.h"
#include "sim_programs.h"

#include <stdlib.h>
#include <string.h>

enum { REGION = 1 << 20 };

struct fake {
    struct rd_channel *channel;
    struct sim *sim;
    struct rd_arena arena;
    uint64_t runs, now;
    uint64_t now_step;                                  /* each reading advances the clock by this */
    void (*script)(struct rd_outcome *o, uint64_t run); /* NULL: the simulator */
};
static struct fake fake;

static void run(void *ctx) {
    struct fake *f = ctx;
    f->runs++;
    assert_int_equal(f->channel->live.sequence, f->runs);
    if (f->script) {
        f->channel->execution.outcome = (struct rd_outcome){.verdict = RD_PASSED, .started = 1};
        f->script(&f->channel->execution.outcome, f->runs);
        return;
    }
    f->sim->options.strict = f->channel->execution.plan.strict;
    sim_run(f->sim, &f->channel->execution.plan);
}

static uint64_t now_ns(void *ctx) {
    struct fake *f = ctx;
    return f->now += f->now_step;
}

static int setup(void **state) {
    (void)state;
    struct rd_channel shape = {0};
    uint64_t size = rd_channel_layout(&shape, &(struct rd_channel_size){.steps = 64, .store = 256});
    fake = (struct fake){.channel = calloc(1, size), .sim = sim_open(), .now = 1000};
    memcpy(fake.channel, &shape, sizeof shape);
    rd_arena_init(&fake.arena, malloc(REGION), REGION);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    sim_close(fake.sim);
    free(fake.arena.base);
    free(fake.channel);
    return 0;
}

static const struct rd_summary *loop(const char *strategy) {
    struct rd_loop_env env = {.ctx = &fake, .run = run, .now_ns = now_ns};
    strcpy(fake.channel->config.strategy, strategy);
    rd_loop_run(fake.channel, &fake.arena, &env);
    return &fake.channel->result.summary;
}

static const struct rd_summary *loop_over(const struct sim_program *p, const char *strategy) {
    struct rd_record rec = rd_channel_record(fake.channel);
    sim_load(fake.sim, p, NULL, &rec);
    return loop(strategy);
}

static void runs_to_the_end_and_counts(void **state) {
    (void)state;
    struct sim_program bare = sim_make(sim_lost_update, 0, 0), p;
    sim_with_main(&p, &bare, true);
    const struct rd_summary *s = loop_over(&p, "dfs");
    assert_int_equal(s->end, RD_END_COMPLETE);
    assert_int_equal(s->executions, 69);
    assert_int_equal(fake.runs, 70); /* the first execution is run twice */
    assert_int_equal(s->classes, 4);
    assert_int_equal(s->findings, 0);
    assert_int_equal(s->steps, 69 * 10); /* 2 creations, 2 starts, 4 accesses, 2 joins */
    assert_int_equal(s->steps_max, 10);
    assert_int_equal(s->blocking_max, 2); /* the joins */
    assert_int_equal(s->threads_max, 3);
    assert_int_equal(s->preemptions_max, 5);
    assert_int_equal(s->fair_tails, 0);
    assert_int_equal(fake.channel->execution.plan.strict, 0);
}

static void stops_at_a_finding_and_keeps_its_schedule(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_abba, 0, 0);
    const struct rd_summary *s = loop_over(&p, "dfs");
    assert_int_equal(s->end, RD_END_FOUND);
    assert_int_equal(s->findings, 1);
    assert_int_equal(s->found_count, 1);
    const struct rd_found *f = &fake.channel->result.found[0];
    assert_int_equal(f->finding.kind, RD_DEADLOCK);
    assert_int_equal(f->execution, s->executions);
    assert_int_equal(f->count, 1);
    assert_int_equal(f->steps, 2);
    assert_int_equal(f->preemptions, 1);
    assert_int_equal(f->threads, 3);
    /* The schedule in the store shows the finding when it is run again. */
    struct rd_choice *prefix = rd_channel_prefix(fake.channel);
    rd_choices_of_steps(prefix, rd_channel_store(fake.channel) + f->store, f->steps);
    fake.sim->options.strict = true;
    sim_run(fake.sim, &(struct rd_plan){.prefix_count = f->steps});
    assert_int_equal(fake.channel->execution.outcome.verdict, RD_FOUND);
    assert_true(fake.channel->execution.outcome.finding.key == f->finding.key);
}

static void keeps_going_and_knows_findings_again(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_split_sync, 0, 0);
    fake.channel->config.keep_going = 1;
    const struct rd_summary *s = loop_over(&p, "dfs");
    assert_int_equal(s->end, RD_END_COMPLETE);
    assert_int_equal(s->executions, 6);
    assert_int_equal(s->findings, 4);
    assert_int_equal(s->found_count, 2); /* one assert in each thread */
    const struct rd_found *f = fake.channel->result.found;
    assert_int_equal(f[0].count + f[1].count, 4);
    assert_true(f[0].finding.key != f[1].finding.key);
    assert_true(f[0].execution < f[1].execution);
    assert_int_equal(f[1].store, f[0].steps);
    assert_int_equal(s->store_used, f[0].steps + f[1].steps);
}

static void a_finding_in_the_first_execution_is_not_repeated(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_rapos1, 0, 0); /* the default schedule fails */
    const struct rd_summary *s = loop_over(&p, "dfs");
    assert_int_equal(s->end, RD_END_FOUND);
    assert_int_equal(s->executions, 1);
    assert_int_equal(fake.runs, 1);
}

static void stops_at_the_number_of_executions(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_lost_update, 0, 0);
    fake.channel->config.executions_max = 4;
    const struct rd_summary *s = loop_over(&p, "dfs");
    assert_int_equal(s->end, RD_END_BUDGET);
    assert_int_equal(s->executions, 4);
}

static void stops_when_the_time_is_over(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_lost_update, 0, 0);
    fake.channel->config.time_max_ns = 100;
    fake.now_step = 10; /* one reading of the clock before the start, one before every execution */
    const struct rd_summary *s = loop_over(&p, "random");
    assert_int_equal(s->end, RD_END_BUDGET);
    assert_int_equal(s->executions, 9);
    assert_int_equal(s->elapsed_ns, 100);
}

static void ask_to_stop(struct rd_outcome *o, uint64_t n) {
    (void)o;
    if (n == 5)
        fake.channel->live.stop = 1;
}

static void stops_when_the_driver_asks(void **state) {
    (void)state;
    fake.script = ask_to_stop;
    const struct rd_summary *s = loop("random");
    assert_int_equal(s->end, RD_END_STOPPED);
    assert_int_equal(s->executions, 4); /* not counting the repetition of the first one */
}

static void give_up(struct rd_outcome *o, uint64_t n) {
    if (n == 5)
        o->verdict = RD_GIVEN_UP;
}

static void given_up_executions_do_not_count(void **state) {
    (void)state;
    fake.script = give_up;
    const struct rd_summary *s = loop("random");
    assert_int_equal(s->end, RD_END_STOPPED);
    assert_int_equal(s->executions + s->cut, 3); /* not counting the repetition of the first one */
    assert_int_equal(s->findings, 0);
    assert_int_equal(s->repeated, 1);
}

static void diverge_in_the_fourth(struct rd_outcome *o, uint64_t n) {
    if (n < 5)
        return;
    o->verdict = RD_DIVERGED;
    o->divergence = (struct rd_divergence){.step = 3, .tid = 2, .why = RD_DIV_BLOCKED};
}

static void divergence_is_trouble(void **state) {
    (void)state;
    fake.script = diverge_in_the_fourth;
    const struct rd_summary *s = loop("random");
    assert_int_equal(s->end, RD_END_TROUBLE);
    assert_int_equal(s->trouble, RD_DIVERGED);
    assert_int_equal(s->executions, 3);
    assert_int_equal(s->divergence_execution, 4);
    assert_int_equal(s->divergence.why, RD_DIV_BLOCKED);
    assert_int_equal(s->divergence.step, 3);
    assert_int_equal(fake.runs, 5);
}

static void refuse(struct rd_outcome *o, uint64_t n) {
    (void)n;
    o->verdict = RD_REFUSED;
    strcpy(o->message, "the program calls vfork");
}

static void uncontrolled_actions_are_trouble(void **state) {
    (void)state;
    fake.script = refuse;
    const struct rd_summary *s = loop("dfs");
    assert_int_equal(s->end, RD_END_TROUBLE);
    assert_int_equal(s->trouble, RD_REFUSED);
    assert_int_equal(s->executions, 0);
    assert_string_equal(s->message, "the program calls vfork");
}

static void another_class_every_time(struct rd_outcome *o, uint64_t n) { o->class_hash[0] = n; }
static void one_step_less_the_second_time(struct rd_outcome *o, uint64_t n) { o->steps = n == 2 ? 2 : 3; }
static void diverge_the_second_time(struct rd_outcome *o, uint64_t n) {
    assert_int_equal(fake.channel->execution.plan.strict, n == 2);
    if (n == 2)
        *o = (struct rd_outcome){.verdict = RD_DIVERGED, .divergence = {.step = 1, .why = RD_DIV_OPERATION}};
}

/* The first execution is run a second time with all fingerprints compared, before the loop publishes a claim. */
static void a_program_that_is_not_deterministic_is_reported(void **state) {
    (void)state;
    static void (*const scripts[])(struct rd_outcome *, uint64_t) = {
        another_class_every_time, one_step_less_the_second_time, diverge_the_second_time};
    for (size_t i = 0; i < RD_COUNT(scripts); i++) {
        if (i > 0) {
            teardown(NULL);
            setup(NULL);
        }
        fake.script = scripts[i];
        const struct rd_summary *s = loop("random");
        assert_int_equal(s->end, RD_END_TROUBLE);
        assert_int_equal(s->trouble, RD_DIVERGED);
        assert_int_equal(s->executions, 1);
        assert_int_equal(s->divergence_execution, 1);
        assert_int_equal(fake.runs, 2);
    }
}

static void no_threads(struct rd_outcome *o, uint64_t n) {
    (void)n;
    o->started = 0;
}
static void no_threads_and_a_finding(struct rd_outcome *o, uint64_t n) {
    (void)n;
    *o = (struct rd_outcome){.verdict = RD_FOUND, .finding = {.kind = RD_CRASH, .key = 1}};
}

static void without_threads_one_execution_is_all(void **state) {
    (void)state;
    fake.script = no_threads;
    const struct rd_summary *s = loop("random");
    assert_int_equal(s->end, RD_END_COMPLETE);
    assert_int_equal(s->executions, 1);
    assert_int_equal(fake.runs, 1);
}

static void without_threads_a_finding_is_the_end(void **state) {
    (void)state;
    fake.script = no_threads_and_a_finding;
    fake.channel->config.keep_going = 1;
    const struct rd_summary *s = loop("random");
    assert_int_equal(s->end, RD_END_FOUND);
    assert_int_equal(s->executions, 1);
    assert_int_equal(s->found_count, 1);
}

static void a_new_finding_every_time(struct rd_outcome *o, uint64_t n) {
    o->verdict = RD_FOUND;
    o->finding = (struct rd_finding){.kind = RD_CRASH, .key = n};
    o->class_hash[0] = n / 2;
}
static void a_long_finding_every_time(struct rd_outcome *o, uint64_t n) {
    a_new_finding_every_time(o, n);
    o->steps = 50;
}

/* There are more findings than room: the first ones are kept, all are counted. */
static void room_for_findings_is_limited(void **state) {
    (void)state;
    fake.script = a_new_finding_every_time;
    fake.channel->config.keep_going = 1;
    fake.channel->config.executions_max = 100;
    const struct rd_summary *s = loop("random");
    assert_int_equal(s->end, RD_END_BUDGET);
    assert_int_equal(s->findings, 100);
    assert_int_equal(s->found_count, RD_FOUND_MAX);
    assert_int_equal(fake.channel->result.found[RD_FOUND_MAX - 1].finding.key, RD_FOUND_MAX);
    assert_int_equal(s->classes, 51);
}

static void room_for_schedules_is_limited(void **state) {
    (void)state;
    fake.script = a_long_finding_every_time;
    fake.channel->config.keep_going = 1;
    fake.channel->config.executions_max = 10;
    const struct rd_summary *s = loop("random");
    assert_int_equal(s->findings, 10);
    assert_int_equal(s->found_count, 5); /* 5 x 50 of 256 steps */
    assert_int_equal(s->store_used, 250);
}

/* Every second execution, including the first, is cut after three steps. */
static void cut_every_other(struct rd_outcome *o, uint64_t n) {
    o->steps = 3;
    o->preemptions = 1;
    if (n == 2) { /* the repetition of the first execution must be cut at the same step */
        assert_int_equal(fake.channel->execution.plan.prefix_count, 3);
        assert_int_equal(fake.channel->execution.plan.steps_max_cut, 3);
    }
    if (n != 2 && n % 2 == 0)
        return;
    o->verdict = RD_CUT;
    o->class_hash[0] = n > 2 ? n : 0;
}

static void cut_executions_are_counted_apart(void **state) {
    (void)state;
    fake.script = cut_every_other;
    fake.channel->config.executions_max = 10;
    const struct rd_summary *s = loop("random");
    assert_int_equal(s->end, RD_END_BUDGET);
    assert_int_equal(fake.runs, 11);
    assert_int_equal(s->executions, 4); /* runs 4, 6, 8, 10 */
    assert_int_equal(s->cut, 6);
    assert_int_equal(s->classes, 1);
    assert_int_equal(s->preemptions[1], 4);
    assert_int_equal(s->steps, 30);
    assert_int_equal(s->found_count, 0);
}

static void claims_the_guarantee_of_its_row_at_the_end(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_lost_update, 0, 0);
    const struct rd_summary *s = loop_over(&p, "dfs");
    assert_int_equal(s->claim.complete, 1);
    assert_true(s->claim.proved[0] && s->claim.done == 1 && s->claim.estimate == 6);
    assert_int_equal(s->claim.preemptions, -1);
    assert_int_equal(s->claim.delays, -1);
    teardown(NULL);
    setup(NULL);
    fake.channel->config.executions_max = 3;
    s = loop_over(&p, "dfs");
    assert_int_equal(s->claim.complete, 0);
    assert_string_equal(s->claim.proved, "");
    teardown(NULL);
    setup(NULL);
    fake.script = no_threads;
    s = loop("random");
    assert_int_equal(s->claim.complete, 1);
    assert_true(s->claim.proved[0] != 0);
}

/* A search that needs more memory than the limit stops, and makes no claim. */
static void stops_at_the_limit_of_memory(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_lost_update, 0, 0);
    fake.channel->config.memory_max = 1;
    const struct rd_summary *s = loop_over(&p, "dfs");
    assert_int_equal(s->end, RD_END_MEMORY);
    assert_true(s->memory > 1);
    assert_int_equal(s->claim.complete, 0);
    assert_string_equal(s->claim.proved, "");
}

static void hang_in_the_third(struct rd_outcome *o, uint64_t n) {
    rd_channel_record(fake.channel).steps[0] = (struct rd_step){.op = RD_OP_COND_WAIT, .timed = 1};
    o->steps = 1;
    o->clock_read = 1;
    if (n == 4) {
        o->verdict = RD_FOUND;
        o->finding = (struct rd_finding){.kind = RD_HANG, .key = 1};
    }
}

static void records_the_conditions_of_a_claim(void **state) {
    (void)state;
    fake.script = hang_in_the_third;
    fake.channel->config.keep_going = 1;
    fake.channel->config.executions_max = 5;
    const struct rd_summary *s = loop("random");
    assert_int_equal(s->hangs, 1);
    assert_int_equal(s->played, RD_PLAYED_TIMED | RD_PLAYED_WAITS | RD_PLAYED_CLOCK);
}

#define LOOP_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int test_loop(void) {
    static const struct CMUnitTest tests[] = {
        LOOP_TEST(runs_to_the_end_and_counts),
        LOOP_TEST(stops_at_a_finding_and_keeps_its_schedule),
        LOOP_TEST(keeps_going_and_knows_findings_again),
        LOOP_TEST(a_finding_in_the_first_execution_is_not_repeated),
        LOOP_TEST(stops_at_the_number_of_executions),
        LOOP_TEST(stops_when_the_time_is_over),
        LOOP_TEST(stops_when_the_driver_asks),
        LOOP_TEST(given_up_executions_do_not_count),
        LOOP_TEST(divergence_is_trouble),
        LOOP_TEST(uncontrolled_actions_are_trouble),
        LOOP_TEST(a_program_that_is_not_deterministic_is_reported),
        LOOP_TEST(without_threads_one_execution_is_all),
        LOOP_TEST(without_threads_a_finding_is_the_end),
        LOOP_TEST(room_for_findings_is_limited),
        LOOP_TEST(room_for_schedules_is_limited),
        LOOP_TEST(cut_executions_are_counted_apart),
        LOOP_TEST(claims_the_guarantee_of_its_row_at_the_end),
        LOOP_TEST(stops_at_the_limit_of_memory),
        LOOP_TEST(records_the_conditions_of_a_claim),
    };
    return cmocka_run_group_tests_name("loop", tests, NULL, NULL);
}
