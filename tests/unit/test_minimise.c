/*
 * test_minimise.c - minimised and explained schedules against brute force: the fewest preemptions of all schedules
 * that show the same finding, and the last step at which a schedule departs from the failing one and passes.
 */
#include "unit.h"

#include "explore/explain.h"
#include "explore/minimise.h"
#include "sim_search.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { REGION = 1 << 28, PICKED = 4, LARGE = 3000 };

/* The results of brute force for one finding, and for one failing schedule. */
struct truth {
    uint64_t key;
    struct rd_cost fewest;
    const struct rd_step *steps; /* the failing schedule */
    uint32_t count;
    int64_t
        common; /* the longest prefix that a passing schedule shares with it, in steps; -1: no schedule passes */
};

static bool same(const struct rd_step *a, const struct rd_step *b) {
    return a->tid == b->tid && a->op == b->op && (a->op != RD_OP_WAITER || a->value == b->value);
}

static void look(void *ctx, const struct sim *s) {
    struct truth *t = ctx;
    const struct rd_outcome *o = s->rec.out;
    if (o->verdict == RD_FOUND && o->finding.key == t->key) {
        struct rd_cost c = rd_cost_of(s->rec.steps, o->steps);
        if (rd_cost_compare(&c, &t->fewest) < 0)
            t->fewest = c;
    }
    uint32_t i = 0;
    while (i < o->steps && i < t->count && same(&s->rec.steps[i], &t->steps[i]))
        i++;
    if (o->verdict == RD_PASSED)
        t->common = RD_MAX(t->common, (int64_t)i);
}

struct bench {
    struct sim *sim;
    struct rd_arena arena;
    uint64_t runs;
};

static struct bench open_bench(const struct sim_program *p, const struct sim_options *o) {
    struct bench b = {.sim = sim_open()};
    sim_load(b.sim, p, o, NULL);
    b.arena = sim_region(REGION);
    return b;
}

static void close_bench(struct bench *b) {
    munmap(b->arena.base, REGION);
    sim_close(b->sim);
}

static struct rd_draft draft_of(struct sim *s) {
    return (struct rd_draft){.prefix = s->prefix,
                             .prefix_max = SIM_STEPS_MAX,
                             .sleep = s->sleep,
                             .weight = s->weight,
                             .track = s->track};
}

/* Minimises with at most `max` executions; 0: no limit. */
static void minimise(struct bench *b, struct rd_minimise *m, const struct rd_step *steps, uint32_t count,
                     uint64_t key, uint64_t max) {
    struct rd_draft d = draft_of(b->sim);
    rd_minimise_open(m, &b->arena, steps, count, false, false);
    for (b->runs = 0; (!max || b->runs < max) && rd_minimise_next(m, &d) == RD_NEXT_RUN; b->runs++) {
        sim_run(b->sim, &d.plan);
        const struct rd_outcome *o = b->sim->rec.out;
        bool shows = o->verdict == RD_FOUND && o->finding.key == key;
        assert_true(o->verdict != RD_DIVERGED);
        rd_minimise_feedback(m, &d.plan, &b->sim->rec, shows ? &o->finding : NULL);
    }
}

static struct rd_why explain(struct bench *b, const struct rd_step *steps, uint32_t count, uint64_t max) {
    struct rd_draft d = draft_of(b->sim);
    struct rd_explain x;
    struct rd_why why = {0};
    rd_explain_open(&x, &b->arena, steps, count, false, false);
    for (uint64_t n = 0; (!max || n < max) && rd_explain_next(&x, &d) == RD_NEXT_RUN; n++) {
        sim_run(b->sim, &d.plan);
        assert_true(b->sim->rec.out->verdict != RD_DIVERGED);
        rd_explain_feedback(&x, &d.plan, &b->sim->rec, b->sim->rec.out->verdict == RD_FOUND);
    }
    rd_explain_result(&x, &why);
    return why;
}

/* The counts of a test over many programs. */
struct sums {
    uint32_t schedules, exact, explained, ordered;
    uint64_t runs;
};

/*
 * Checks the order of two steps that the explanation names: in the failing schedule first comes before second, in
 * another thread.
 */
static void check_order(const struct sim_program *p, const struct rd_why *w, const struct truth *t,
                        struct sums *s) {
    if (!w->first)
        return;
    s->ordered++;
    assert_true(w->first >= w->critical && w->first <= t->count && w->second_tid != t->steps[w->first - 1].tid);
    if (w->second && (w->second <= w->first || t->steps[w->second - 1].tid != w->second_tid))
        unit_count(p->name, "second", w->second, w->first + 1);
    if (w->before && (w->before >= w->first || t->steps[w->before - 1].tid != w->second_tid))
        unit_count(p->name, "before", w->before, w->first - 1);
}

static void check_schedule(const struct sim_program *p, const struct sim_options *o, struct bench *b,
                           struct sums *s) {
    const struct rd_outcome *out = b->sim->rec.out;
    uint32_t count = out->steps;
    struct rd_step *given = malloc(count * sizeof *given);
    struct truth t = {.key = out->finding.key, .common = -1};
    struct rd_minimise m;
    memcpy(given, b->sim->rec.steps, count * sizeof *given);
    t.fewest = rd_cost_of(given, count);
    size_t used = b->arena.used;
    minimise(b, &m, given, count, t.key, 0);
    t.steps = m.steps;
    t.count = m.cost.steps;
    struct sim_options all = o ? *o : (struct sim_options){0};
    struct sim_result r;
    all.seen = look;
    all.ctx = &t;
    sim_enumerate(p, &all, &r);
    unit_count(p->name, "preemptions", m.cost.preemptions, t.fewest.preemptions);
    assert_true(m.repeated && rd_cost_compare(&t.fewest, &m.cost) <= 0);
    if (!r.fairness && !r.fair_tails && !m.proved)
        unit_count(p->name, "proved", m.proved, 1);
    s->schedules++;
    s->exact += rd_cost_compare(&t.fewest, &m.cost) == 0;
    s->runs += b->runs;
    struct rd_why w = explain(b, m.steps, m.cost.steps, 0);
    assert_true(w.explained && w.tried > 0);
    if (w.all) {
        s->explained++;
        unit_count(p->name, "critical step", w.critical, (uint64_t)(t.common + 1));
    }
    check_order(p, &w, &t, s);
    b->arena.used = used;
    free(given);
}

/* Checks the first few failing schedules of a random walk. */
static void check_program(const struct sim_program *p, const struct sim_options *o, struct sums *s) {
    struct sim_result all;
    sim_enumerate(p, o, &all);
    if (all.ok + all.cut == all.executions || all.executions > LARGE)
        return;
    struct bench b = open_bench(p, o);
    uint32_t found = 0;
    for (uint64_t seed = 1; seed <= 300 && found < PICKED; seed++) {
        sim_run(b.sim, &(struct rd_plan){.picker = RD_PICK_RANDOM, .seed = seed});
        if (b.sim->rec.out->verdict != RD_FOUND || b.sim->rec.out->steps == 0)
            continue;
        found++;
        check_schedule(p, o, &b, s);
    }
    close_bench(&b);
}

static void as_few_preemptions_as_there_can_be(void **state) {
    (void)state;
    struct sums s = {0};
    for (size_t i = 0; i < sim_case_count; i++) {
        if (!unit_takes(i, 5))
            continue;
        struct sim_program p = sim_make(sim_cases[i].build, sim_cases[i].n, sim_cases[i].k), q;
        check_program(&p, NULL, &s);
        if (p.main || p.threads > 2)
            continue;
        sim_with_main(&q, &p, true);
        check_program(&q, NULL, &s);
    }
    assert_true(s.schedules > (unit_is_slow() ? 100u : 10u) && s.explained == s.schedules &&
                s.ordered * 10 >= s.schedules * 9);
    /* also the fewest switches and steps, although the minimiser does not promise them */
    assert_true(s.exact * 10 >= s.schedules * 9);
    assert_true(s.runs < s.schedules * 30);
}

static int got_it(const int *reg) { return reg[0]; }
static int not_two(const int *reg) { return reg[0] != 2; }

/* Early timeouts, wake-ups without a signal and choices by the program are differences like any other. */
static void early_timeouts_and_choices(void **state) {
    (void)state;
    enum { M, X = 0 };
    struct sums s = {0};
    struct sim_program timed = {.name = "timed"}, choice = {.name = "choice"};
    SIM_THREAD(&timed, do_lock(M), do_write(X, 1), do_unlock(M));
    SIM_THREAD(&timed, do_timedlock(M, 100, 0), do_assert(got_it));
    SIM_THREAD(&timed, do_timedlock(M, 200, 1));
    SIM_THREAD(&choice, do_choose(2, 1), do_choose(3, 0), do_assert(not_two));
    SIM_THREAD(&choice, do_write(X, 1), do_choose(2, 0));
    struct sim_program woken = sim_make(sim_consumers, 0, 0);
    check_program(&timed, &(struct sim_options){.timeouts = 2}, &s);
    check_program(&choice, NULL, &s);
    check_program(&woken, &(struct sim_options){.spurious = 1}, &s);
    assert_true(s.schedules == 3 * PICKED && s.explained >= 2 * PICKED);
}

/*
 * When minimisation stops after any number of executions, its schedule is no worse than the original, and it claims
 * only proven facts.
 */
static void it_can_be_left_at_any_time(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_rank4, 0, 0);
    struct bench b = open_bench(&p, NULL);
    uint64_t seed = 1;
    do
        sim_run(b.sim, &(struct rd_plan){.picker = RD_PICK_RANDOM, .seed = seed++});
    while (b.sim->rec.out->verdict != RD_FOUND);
    uint32_t count = b.sim->rec.out->steps;
    uint64_t key = b.sim->rec.out->finding.key, whole = UINT64_MAX;
    struct rd_step given[SIM_STEPS_MAX];
    memcpy(given, b.sim->rec.steps, count * sizeof *given);
    struct rd_cost last = rd_cost_of(given, count);
    for (uint64_t max = 1; max <= whole; max++) {
        struct rd_minimise m;
        minimise(&b, &m, given, count, key, max);
        whole = b.runs < max ? b.runs : whole;
        assert_true(m.repeated && rd_cost_compare(&m.cost, &last) <= 0);
        assert_true(max > whole || !m.proved || m.cost.preemptions == 2);
        last = m.cost;
    }
    unit_count(p.name, "preemptions", last.preemptions, 2);
    close_bench(&b);
}

/*
 * A guide that contains all differences from the default execution reproduces the execution, whichever picker made
 * it.
 */
static void all_differences_are_the_execution(void **state) {
    (void)state;
    for (size_t i = 0; i < sim_case_count; i++) {
        struct sim_program p = sim_make(sim_cases[i].build, sim_cases[i].n, sim_cases[i].k);
        struct bench b = open_bench(&p, NULL);
        for (uint64_t seed = 1; seed <= 5; seed++) {
            sim_run(b.sim, &(struct rd_plan){.picker = RD_PICK_RANDOM, .seed = seed});
            uint64_t order = b.sim->rec.out->class_hash[0];
            struct rd_cost cost = rd_cost_of(b.sim->rec.steps, b.sim->rec.out->steps);
            struct rd_minimise m;
            struct rd_draft d = draft_of(b.sim);
            rd_minimise_open(&m, &b.arena, b.sim->rec.steps, cost.steps, false, false);
            rd_minimise_feedback(&m, &d.plan, &b.sim->rec, &b.sim->rec.out->finding);
            m.phase = RD_MINIMISE_PREEMPTIONS; /* from here on it would leave out pieces; with this size it leaves
                                                  out none */
            m.from = m.delta.count + 1;
            m.size = 0;
            rd_minimise_guide(&m, &d);
            sim_run(b.sim, &d.plan);
            struct rd_cost again = rd_cost_of(b.sim->rec.steps, b.sim->rec.out->steps);
            assert_true(b.sim->rec.out->class_hash[0] == order && rd_cost_compare(&cost, &again) == 0);
            b.arena.used = 0;
        }
        close_bench(&b);
    }
}

int test_minimise(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_few_preemptions_as_there_can_be),
        cmocka_unit_test(early_timeouts_and_choices),
        cmocka_unit_test(it_can_be_left_at_any_time),
        cmocka_unit_test(all_differences_are_the_execution),
    };
    return cmocka_run_group_tests_name("minimise", tests, NULL, NULL);
}
