/*
 * test_refine.c - minimisation and explanation of schedules after a search, in a channel: none of their executions
 * is counted, and whenever they are stopped, the stored schedule shows the finding.
 */
#include "unit.h"

#include "explore/loop.h"
#include "explore/minimise.h"
#include "sim_programs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { REGION = 1 << 28, FOREVER = 1 << 30 };

struct fake {
    struct rd_channel *channel;
    struct sim *sim;
    struct rd_arena arena;
    uint64_t runs, now;
    uint64_t stop_at;     /* the user stops the command during this run; 0: never */
    uint64_t other_at;    /* this run does not show the finding of its plan; 0: all runs do */
    uint64_t given_up_at; /* this run takes too long and is given up; 0: none */
};
static struct fake fake;

static int are_same(const int *reg) { return reg[0] == reg[1]; }
static int add_one(int old, const int *reg) {
    (void)reg;
    return old + 1;
}
static int not_zero(const int *reg) { return reg[0] != 0; }

static struct budget { uint64_t ns, executions, deadline; } budget = {FOREVER, FOREVER, 0};

static void run(void *ctx) {
    struct fake *f = ctx;
    f->runs++;
    if (f->runs == f->stop_at)
        f->channel->live.stop = 1;
    sim_run(f->sim, &f->channel->execution.plan);
    if (f->other_at && f->runs >= f->other_at)
        f->channel->execution.outcome.verdict = RD_PASSED;
    if (f->runs == f->given_up_at)
        f->channel->execution.outcome.verdict = RD_GIVEN_UP;
}

static uint64_t now_ns(void *ctx) {
    struct fake *f = ctx;
    return ++f->now;
}

static void open_fake(uint64_t store) {
    struct rd_channel shape = {0};
    uint64_t size = rd_channel_layout(&shape, &(struct rd_channel_size){.steps = 512, .store = store});
    fake = (struct fake){.channel = calloc(1, size), .sim = sim_open()};
    memcpy(fake.channel, &shape, sizeof shape);
    fake.channel->execution.modules[0].instrumented = 1;
    fake.arena = sim_region(REGION);
}

static void close_fake(void) {
    munmap(fake.arena.base, REGION);
    sim_close(fake.sim);
    free(fake.channel);
}

static void loop(const struct sim_program *p, bool minimise) {
    struct rd_loop_env env = {.ctx = &fake, .run = run, .now_ns = now_ns};
    struct rd_record rec = rd_channel_record(fake.channel);
    struct rd_config *c = &fake.channel->config;
    sim_load(fake.sim, p, NULL, &rec);
    strcpy(c->strategy, "random");
    c->seed = 5;
    c->executions_max = 300;
    c->minimise_ns = minimise ? budget.ns : 0;
    c->minimise_max = budget.executions;
    c->deadline_ns = budget.deadline;
    c->time_max_ns = budget.deadline;
    rd_loop_run(fake.channel, &fake.arena, &env);
}

/* Runs the stored schedule with all fingerprints compared. */
static void check_stored(uint32_t index) {
    const struct rd_found *f = &fake.channel->result.found[index];
    const struct rd_step *steps = rd_channel_store(fake.channel) + f->store;
    struct rd_cost cost = rd_cost_of(steps, f->steps);
    unit_count("stored", "preemptions", cost.preemptions, f->preemptions);
    rd_choices_of_steps(rd_channel_prefix(fake.channel), steps, f->steps);
    fake.sim->options.strict = true;
    sim_run(fake.sim, &(struct rd_plan){.prefix_count = f->steps});
    fake.sim->options.strict = false;
    assert_int_equal(fake.channel->execution.outcome.verdict, RD_FOUND);
    assert_true(fake.channel->execution.outcome.finding.key == f->finding.key);
    if (f->why.minimised)
        assert_true(cost.preemptions <= f->why.preemptions);
}

static void refining_executions_do_not_count(void **state) {
    (void)state;
    struct sim_program bare = sim_make(sim_split_sync, 0, 0), p;
    sim_with_main(&p, &bare, true);
    open_fake(2048);
    loop(&p, false);
    struct rd_summary before = fake.channel->result.summary;
    struct rd_found found = fake.channel->result.found[0];
    uint64_t runs = fake.runs;
    close_fake();
    open_fake(2048);
    loop(&p, true);
    struct rd_summary *s = &fake.channel->result.summary;
    assert_true(s->minimising > 0 && s->minimise_ns > 0 && before.minimising == 0);
    assert_int_equal(fake.runs, s->minimising + runs);
    const struct rd_found *now = &fake.channel->result.found[0];
    assert_true(now->why.minimised && now->why.proved && now->why.explained && now->why.all);
    assert_int_equal(now->why.preemptions, found.preemptions);
    assert_int_equal(now->execution, found.execution);
    assert_true(now->preemptions == 1 && found.preemptions > 1);
    check_stored(0);
    s->minimising = s->minimise_ns = 0;
    s->store_used = before.store_used;
    s->elapsed_ns = before.elapsed_ns;
    assert_memory_equal(s, &before, sizeof before);
    close_fake();
}

/* The number of the first run after the search, and of the last run. */
static void find_runs(const struct sim_program *p, uint64_t *first, uint64_t *last) {
    for (int minimise = 0; minimise < 2; minimise++) {
        open_fake(2048);
        loop(p, minimise);
        *(minimise ? last : first) = fake.runs + !minimise;
        close_fake();
    }
}

/* The user stops the command during any run. */
static void stored_findings_are_never_lost(void **state) {
    (void)state;
    static const struct {
        sim_build build;
        int n;
    } rows[] = {{sim_split_sync, 0}, {sim_philosophers, 3}, {sim_rank4, 0}, {sim_bluetooth, 0}};
    for (size_t i = 0; i < RD_COUNT(rows); i++) {
        struct sim_program p = sim_make(rows[i].build, rows[i].n, 0);
        uint64_t first, last;
        find_runs(&p, &first, &last);
        for (uint64_t at = first; at <= last; at++) {
            open_fake(2048);
            fake.stop_at = at;
            loop(&p, true);
            unit_count(p.name, "runs", fake.runs, at);
            assert_int_equal(fake.channel->result.summary.found_count, 1);
            check_stored(0);
            close_fake();
        }
    }
}

/* A program that is not deterministic: from some run on the finding does not show again. */
static void it_stays_as_it_is_when_it_does_not_show_again(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_philosophers, 3, 0);
    uint64_t first, last;
    find_runs(&p, &first, &last);
    for (uint64_t at = first; at <= last; at++) {
        open_fake(2048);
        fake.other_at = at;
        loop(&p, true);
        const struct rd_found *f = &fake.channel->result.found[0];
        fake.other_at = 0;
        if (at == first)
            assert_true(!f->why.minimised && !f->why.explained);
        check_stored(0);
        close_fake();
    }
}

/* A run that was given up shows no finding, and is no proof: here the last run. */
static void a_given_up_run_is_no_proof(void **state) {
    (void)state;
    struct sim_program bare = sim_make(sim_split_sync, 0, 0), p;
    sim_with_main(&p, &bare, true);
    uint64_t first, last;
    find_runs(&p, &first, &last);
    for (uint64_t at = first; at < last; at++) {
        open_fake(2048);
        fake.given_up_at = at;
        loop(&p, true);
        const struct rd_found *f = &fake.channel->result.found[0];
        unit_count(p.name, "runs", fake.runs, at);
        assert_true(!f->why.all && (!f->why.proved || f->preemptions <= 1));
        fake.given_up_at = 0;
        check_stored(0);
        close_fake();
    }
}

/* Search, minimising and explaining end in time, leave time for the report, and lose no finding. */
static void all_of_it_keeps_to_the_deadline(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_rank4, 0, 0);
    uint64_t refined = 0;
    for (uint64_t deadline = 20; deadline <= 2000; deadline += 20) {
        open_fake(2048);
        budget.deadline = deadline;
        fake.channel->config.keep_going = 1;
        loop(&p, true);
        const struct rd_summary *s = &fake.channel->result.summary;
        assert_true(fake.now <= deadline + 16); /* each reading moves the clock, also those after the end */
        refined += s->minimising;
        if (s->found_count)
            check_stored(0);
        close_fake();
    }
    assert_true(refined > 0);
    budget.deadline = 0;
}

/* If the store has no room for a second schedule, the simpler schedule replaces the first. */
static void without_room_it_replaces_the_other(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_split_sync, 0, 0);
    open_fake(2048);
    loop(&p, false);
    uint32_t steps = fake.channel->result.found[0].steps, preemptions = fake.channel->result.found[0].preemptions;
    close_fake();
    open_fake(steps);
    loop(&p, true);
    const struct rd_found *f = &fake.channel->result.found[0];
    assert_true(f->why.minimised && f->preemptions < preemptions);
    assert_int_equal(fake.channel->result.summary.store_used, steps);
    check_stored(0);
    close_fake();
}

/* A budget of executions and of time; one more run shows the stored schedule. */
static void it_keeps_to_its_budget(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_rank4, 0, 0);
    uint64_t first, last;
    find_runs(&p, &first, &last);
    for (uint64_t max = 1; max <= last - first + 1; max++) {
        open_fake(2048);
        budget = (struct budget){FOREVER, max, 0};
        loop(&p, true);
        assert_true(fake.channel->result.summary.minimising <= max + 1);
        check_stored(0);
        close_fake();
        open_fake(2048);
        budget = (struct budget){max, FOREVER, 0};
        loop(&p, true);
        assert_true(fake.channel->result.summary.minimising <= max + 1); /* each reading moves the clock */
        check_stored(0);
        close_fake();
    }
    budget = (struct budget){FOREVER, FOREVER, 0};
}

/* Rank figure 2, with a thread before and one behind that have nothing to do with it. */
static void make_with_others(struct sim_program *p) {
    *p = (struct sim_program){.name = "Rank figure 2 and others"};
    SIM_THREAD(p, do_write(2, 1), do_write(3, 1));
    SIM_THREAD(p, do_read(0, 0), do_read(0, 1), do_assert(are_same));
    SIM_THREAD(p, do_rmw(0, add_one, -1));
    SIM_THREAD(p, do_read(2, 0), do_write(3, 2));
}

static uint64_t ordered_by(const struct sim_program *p) {
    open_fake(2048);
    loop(p, true);
    const struct rd_found *f = &fake.channel->result.found[0];
    assert_int_equal(fake.channel->result.summary.found_count, 1);
    assert_true(f->why.ordered_known);
    uint64_t ordered = f->why.ordered;
    check_stored(0);
    close_fake();
    return ordered;
}

/* The number t of the paper's examples, and which threads these are. */
static void threads_that_must_be_ordered(void **state) {
    (void)state;
    static const struct {
        sim_build build;
        uint64_t threads; /* the first thread has number 1, with and without a main thread */
    } rows[] = {{sim_rapos1, 6}, {sim_rank1, 6},  {sim_rank2, 6},   {sim_rank3, 6},      {sim_rank4, 6},
                {sim_rank8, 14}, {sim_rank9, 14}, {sim_rank10, 14}, {sim_split_sync, 6}, {sim_abba, 6}};
    for (size_t i = 0; i < RD_COUNT(rows); i++) {
        struct sim_program p = sim_make(rows[i].build, 0, 0), q;
        unit_count(p.name, "ordered threads", ordered_by(&p), rows[i].threads);
        sim_with_main(&q, &p, true);
        unit_count(q.name, "ordered threads", ordered_by(&q), rows[i].threads);
    }
    struct sim_program others;
    make_with_others(&others);
    unit_count(others.name, "ordered threads", ordered_by(&others), 12);
    struct sim_program always = {.name = "always"};
    SIM_THREAD(&always, do_write(0, 1));
    SIM_THREAD(&always, do_read(1, 0), do_assert(not_zero));
    unit_count(always.name, "ordered threads", ordered_by(&always), 0);
}

int test_refine(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refining_executions_do_not_count),
        cmocka_unit_test(threads_that_must_be_ordered),
        cmocka_unit_test(stored_findings_are_never_lost),
        cmocka_unit_test(it_stays_as_it_is_when_it_does_not_show_again),
        cmocka_unit_test(it_keeps_to_its_budget),
        cmocka_unit_test(a_given_up_run_is_no_proof),
        cmocka_unit_test(all_of_it_keeps_to_the_deadline),
        cmocka_unit_test(without_room_it_replaces_the_other),
    };
    return cmocka_run_group_tests_name("refine", tests, NULL, NULL);
}
