/*
 * test_resume.c - workers that die, and replacements that continue their search: the executions and counts are
 * those of a search without deaths, which is compared with brute force. Turns and deaths are random, from fixed
 * seeds.
 */
#include "unit.h"

#include "sim_loop.h"
#include "sim_total.h"

#include <string.h>

enum { MOST = 200 }; /* schedules of a program: the fuzzer runs larger ones */

static struct sim_loop_setup setup(const struct sim_program *p, const struct sim_options *o, const char *strategy,
                                   size_t workers) {
    return (struct sim_loop_setup){
        .program = p, .options = o, .strategy = strategy, .workers = (uint32_t)workers, .keep_going = true};
}

static struct sim_loop_setup with_deaths(struct sim_loop_setup how, uint64_t seed) {
    how.deaths_in = 1 + (uint32_t)(seed % 7) * 3; /* 1: every execution dies until deaths_most is reached */
    how.deaths_most = 12;
    how.turns = seed;
    return how;
}

/* A single worker runs its executions in one order, and the digest covers all of them. */
static void one_worker_does_the_same(void **state) {
    static const char *const strategies[] = {
        "dfs",     "idfs:step=3", "icb",  "icb:cache",    "icb:sleep",    "delay",  "best:pb", "exitblock",
        "bpor",    "bpor:c=1",    "dpor", "dpor:classic", "dpor:optimal", "random", "pos",     "rapos",
        "pct:d=2", "urw",         "surw", "rff",          "rank",         "auto"};
    static const struct sim_case cases[] = {{sim_critical, 2, 2},     {sim_reorder, 2, 0}, {sim_last_zero, 3, 0},
                                            {sim_philosophers, 2, 0}, {sim_slot, 2, 0},    {sim_bluetooth, 0, 0}};
    uint64_t deaths = 0;
    (void)state;
    for (size_t i = 0; i < RD_COUNT(cases); i++) {
        struct sim_program bare = sim_make(cases[i].build, cases[i].n, cases[i].k), p;
        struct sim_options o = {.executions_max = 300, .seed = 5};
        sim_with_main(&p, &bare, false);
        for (size_t k = 0; k < RD_COUNT(strategies); k++) {
            if (!unit_takes(i + k, 4))
                continue;
            struct sim_loop_setup how = setup(&p, &o, strategies[k], 1);
            const struct rd_channel *c = sim_loop_run(&how)->at[0].channel;
            struct rd_summary one = c->result.summary;
            how = with_deaths(how, 100 * i + k);
            const struct sim_loops *s = sim_loop_run(&how);
            unit_count(strategies[k], "digest", c->result.summary.digest, one.digest);
            unit_count(strategies[k], "executions", c->result.summary.executions, one.executions);
            unit_count(strategies[k], "cut", c->result.summary.cut, one.cut);
            unit_count(strategies[k], "orders", c->result.summary.classes, one.classes);
            unit_count(strategies[k], "findings", c->result.summary.findings, one.findings);
            unit_count(strategies[k], "found", c->result.summary.found_count, one.found_count);
            unit_count(strategies[k], "end", c->result.summary.end, one.end);
            total_same_claim(strategies[k], &c->result.summary.claim, &one.claim);
            deaths += s->deaths;
        }
    }
    assert_true(deaths > (unit_is_slow() ? 500u : 100u));
}

static void every_schedule_once(void **state) {
    static const char *const strategies[] = {"dfs", "icb", "delay", "best:pb", "icb:csb=1"};
    uint64_t deaths = 0;
    (void)state;
    for (size_t i = 0; i < sim_case_count; i++) {
        if (!unit_takes(i, 12))
            continue;
        struct total_case c;
        bool small = total_case(&c, i, MOST);
        for (size_t k = 0; k < RD_COUNT(strategies) && small; k++) {
            struct sim_loop_setup how =
                with_deaths(setup(&c.program, &c.options, strategies[k], 1 + (i + k) % SIM_LOOPS), 31 * i + k);
            const struct sim_loops *s = sim_loop_run(&how);
            unit_count(strategies[k], "executions", s->executions, c.all.executions);
            unit_count(strategies[k], "counted", sim_loop_executions(s), c.all.executions);
            unit_count(strategies[k], "schedules", s->sum, c.all.schedule_sum);
            unit_count(strategies[k], "end", s->at[0].channel->result.summary.end, RD_END_COMPLETE);
            deaths += s->deaths;
        }
    }
    assert_true(deaths > (unit_is_slow() ? 1000u : 30u));
}

/* The number of classes that all workers together have logged. */
static uint64_t classes_of(const struct sim_loops *s) {
    static char region[1 << 20];
    struct rd_arena a;
    struct rd_map seen = {0};
    uint64_t n = 0;
    rd_arena_init(&a, region, sizeof region);
    for (uint32_t i = 0; i < s->count; i++)
        for (uint64_t k = 0; k < s->at[i].channel->result.summary.classes_logged; k++)
            n += (*rd_map_put(&seen, &a, rd_channel_class_log(s->at[i].channel)[k].key))++ == 0;
    return n;
}

static void every_class_is_covered(void **state) {
    static const char *const strategies[] = {"dpor", "dpor:optimal", "bpor", "dpor:classic", "auto"};
    uint64_t deaths = 0;
    (void)state;
    for (size_t i = 0; i < sim_case_count; i++) {
        if (!unit_takes(i, 5))
            continue;
        struct total_case c;
        bool small = total_case(&c, i, MOST);
        for (size_t k = 0; k < RD_COUNT(strategies) && small; k++) {
            struct sim_loop_setup how = with_deaths(
                setup(&c.program, &c.options, strategies[k], 2 + (i + k) % (SIM_LOOPS - 1)), 17 * i + k);
            const struct sim_loops *s = sim_loop_run(&how);
            const struct rd_summary *first = &s->at[0].channel->result.summary;
            unit_count(strategies[k], "end", first->end, RD_END_COMPLETE);
            unit_count(strategies[k], "counted", sim_loop_executions(s), s->executions);
            if (!first->claim.voids[0] && k < 4)
                unit_count(strategies[k], "classes", classes_of(s), c.all.classes);
            /* with accesses as points in some executions only, samplers see further classes */
            if (!first->claim.voids[0])
                assert_true(classes_of(s) >= c.all.classes && first->claim.complete);
            deaths += s->deaths;
        }
    }
    assert_true(deaths > (unit_is_slow() ? 1000u : 30u));
}

/* The tickets that a dead worker had drawn are run, each once: by several workers as by one that never dies. */
static void every_number_once(void **state) {
    static const char *const strategies[] = {"random", "pos", "rapos", "urw", "surw", "pct:d=2", "rff"};
    struct sim_program p = sim_make(sim_two_stage, 2, 0);
    struct sim_options o = {.asserts_go_on = true, .executions_max = 200, .seed = 7};
    uint64_t deaths = 0;
    (void)state;
    for (size_t k = 0; k < RD_COUNT(strategies); k++) {
        struct sim_loop_setup how = setup(&p, &o, strategies[k], 1);
        uint64_t sum = sim_loop_run(&how)->sum;
        for (uint32_t seed = 0; seed < 6; seed++) {
            how.workers = 2 + seed % (SIM_LOOPS - 1);
            how = with_deaths(how, 50 * k + seed);
            const struct sim_loops *s = sim_loop_run(&how);
            unit_count(strategies[k], "executions", s->executions, o.executions_max);
            unit_count(strategies[k], "counted", sim_loop_executions(s), o.executions_max);
            if (k < 3) /* the others learn, each worker for itself */
                unit_count(strategies[k], "schedules", s->sum, sum);
            deaths += s->deaths;
        }
    }
    assert_true(deaths > 200);
}

/*
 * If the program in the new process is another one, the knowledge of the search is useless: the search does not
 * end, and makes no claim.
 */
static void another_program_is_not_gone_on_with(void **state) {
    struct sim_program p = sim_make(sim_critical, 2, 2), other = sim_make(sim_reorder, 2, 0);
    struct sim_options o = {.asserts_go_on = true};
    uint64_t noticed = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct sim_loop_setup how = {.program = &p,
                                     .other = &other,
                                     .options = &o,
                                     .strategy = seed % 2 ? "random" : "dfs",
                                     .workers = 1,
                                     .deaths_in = 9,
                                     .deaths_most = 1,
                                     .turns = seed};
        o.executions_max = 40;
        const struct sim_loops *s = sim_loop_run(&how);
        const struct rd_channel *c = s->at[0].channel;
        if (!s->deaths || c->live.redo_steps < 2)
            continue;
        noticed++;
        unit_count("another program", "end", c->result.summary.end, RD_END_NONE);
        unit_count("another program", "phase", c->live.phase, RD_PHASE_SEARCH);
        assert_string_equal(c->result.summary.claim.proved, "");
    }
    assert_true(noticed > 5);
}

/* If the memory of a search ends with its process, it is not marked as one that can be resumed. */
static void memory_that_ends_with_its_process_is_never_marked(void **state) {
    static struct rd_channel c;
    struct rd_loop l = {.channel = &c};
    (void)state;
    rd_resume_mark(&l, RD_PHASE_RUN);
    assert_int_equal(c.live.phase, RD_PHASE_SEARCH);
}

int test_resume(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_worker_does_the_same),
        cmocka_unit_test(every_schedule_once),
        cmocka_unit_test(every_class_is_covered),
        cmocka_unit_test(every_number_once),
        cmocka_unit_test(another_program_is_not_gone_on_with),
        cmocka_unit_test(memory_that_ends_with_its_process_is_never_marked),
    };
    return cmocka_run_group_tests_name("workers that die", tests, NULL, NULL);
}
