/*
 * test_rank.c - variable and thread bounding: numbers of executions, schedules and orders of priorities, computed
 * with another implementation; that pruning loses no state; the number of orders that are needed; the claim.
 */
#include "unit.h"

#include "base/map.h"
#include "search/rank/rank_permutations.h"
#include "search/rank/rank_vars.h"
#include "sim_search.h"
#include "trace/place.h"
#include "trace/profile.h"
#include "trace/track.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 22 };

/* The executions with a given number of priority changes, their results, and their orders of priorities. */
struct tally {
    uint32_t changes; /* only plans with exactly this many changes; UINT32_MAX: all plans that track variables */
    struct rd_arena arena;
    struct rd_map schedules, orders, failing, finals, classes;
    uint64_t runs;
};

static struct tally new_tally(uint32_t changes) {
    struct tally t = {.changes = changes};
    rd_arena_init(&t.arena, malloc(ROOM), ROOM);
    return t;
}

static void add(struct tally *t, struct rd_map *m, uint64_t key) { ++*rd_map_put(m, &t->arena, key | 1); }

static void note(void *ctx, const struct sim *s) {
    struct tally *t = ctx;
    const struct rd_plan *p = &s->engine.plan;
    uint64_t schedule = 0, order = 0, state = s->rec.out->finding.kind;
    if (t->changes == UINT32_MAX ? p->access_points != RD_ACCESSES_AFTER : p->b != t->changes)
        return;
    if (p->access_points == RD_ACCESSES_PROFILE && s->rec.profile->executions == 1)
        return; /* the execution that is run to learn the threads */
    t->runs++;
    for (uint32_t i = 0; i < s->rec.out->steps; i++)
        schedule = rd_hash2(schedule, s->rec.steps[i].tid);
    for (uint32_t i = 0; i < p->a + p->b; i++)
        order = rd_hash2(order, s->weight[i].steps);
    for (uint32_t i = 0; i < SIM_VARS; i++)
        state = rd_hash2(state, (uint64_t)s->vars[i]);
    for (uint32_t k = 0; k < s->program->threads; k++)
        for (uint32_t i = 0; i < SIM_REGS; i++)
            state = rd_hash2(state, (uint64_t)s->reg[k][i]);
    add(t, &t->schedules, schedule);
    add(t, &t->orders, order);
    add(t, &t->finals, state);
    add(t, &t->classes, s->rec.out->class_hash[0]);
    if (s->rec.out->verdict == RD_FOUND)
        add(t, &t->failing, order);
}

/* A hash of the set of keys, independent of their order. */
static uint64_t sum_of(const struct rd_map *m) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < m->room; i++)
        sum += m->slots[i].key ? rd_mix(m->slots[i].key) : 0;
    return sum;
}

static void explore(const struct sim_program *p, const char *strategy, struct tally *t, struct sim_result *r) {
    sim_explore(p, strategy, &(struct sim_options){.seen = note, .ctx = t}, r);
    assert_true(r->complete);
}

/* All orders of n + c priorities, with all changes after accesses, without pruning. */
static void counts_are_those_of_brute_force(void **state) {
    (void)state;
    static const struct {
        sim_build build;
        int n;
        uint32_t c;
        uint64_t runs, schedules, failing, orders;
    } rows[] = {
        {sim_rank1, 0, 0, 2, 2, 1, 2},
        {sim_rank2, 0, 1, 12, 3, 1, 6},
        {sim_rank3, 0, 2, 96, 6, 2, 24},
        {sim_rank4, 0, 2, 264, 14, 1, 24},
        {sim_rank8, 0, 0, 6, 6, 2, 6},
        {sim_rank9, 0, 1, 48, 12, 2, 24},
        {sim_rank10, 0, 2, 840, 30, 1, 120},
        {sim_rank12, 0, 2, 504, 20, 2, 24},
        {sim_split_sync, 0, 1, 78, 4, 2, 6},
        {sim_abba, 0, 1, 42, 6, 2, 6},
        {sim_reorder, 2, 1, 96, 22, 8, 24},
        {sim_reorder, 3, 1, 600, 150, 36, 120},
        {sim_philosophers, 3, 1, 240, 51, 3, 24}, /* all schedules with at most one preemption would be 57 */
    };
    for (size_t i = 0; i < RD_COUNT(rows); i++) {
        struct sim_program p = sim_make(rows[i].build, rows[i].n, 0);
        char strategy[] = "rank:all,plain,e=0,c=0";
        strategy[sizeof strategy - 2] = (char)('0' + rows[i].c);
        struct tally t = new_tally(rows[i].c);
        struct sim_result r;
        explore(&p, strategy, &t, &r);
        unit_count(p.name, "executions", t.runs, rows[i].runs + (rows[i].c == 0 ? 3 : 0));
        unit_count(p.name, "schedules", t.schedules.count, rows[i].schedules);
        unit_count(p.name, "orders", t.orders.count, rows[i].orders);
        unit_count(p.name, "orders that fail", t.failing.count, rows[i].failing);
        free(t.arena.base);
    }
}

/* In executions without a yield pruning reaches the same states and classes in far fewer executions. */
static void pruned_executions_were_covered(void **state) {
    (void)state;
    static const char *const strategies[][2] = {
        {"rank:all,e=0,c=1", "rank:all,e=0,c=1,plain"},
        {"rank:all,e=0,c=2", "rank:all,e=0,c=2,plain"},
        {"rank:v=1,e=0,c=2", "rank:v=1,e=0,c=2,plain"},
    };
    uint64_t runs[2] = {0};
    for (size_t i = 0; i < sim_case_count; i++) {
        if (!unit_takes(i, 8))
            continue;
        for (size_t k = 0; k < RD_COUNT(strategies); k++) {
            struct sim_program p = sim_make(sim_cases[i].build, sim_cases[i].n, sim_cases[i].k);
            struct sim_result r;
            if (p.threads + k > 4)
                continue;
            struct tally some = new_tally(UINT32_MAX), all = new_tally(UINT32_MAX);
            explore(&p, strategies[k][0], &some, &r);
            explore(&p, strategies[k][1], &all, &r);
            unit_count(p.name, "final states", some.finals.count, all.finals.count);
            assert_int_equal(sum_of(&some.finals), sum_of(&all.finals));
            if (k < 2) { /* other executions also have events of variables that are only observed */
                unit_count(p.name, "classes", some.classes.count, all.classes.count);
                assert_int_equal(sum_of(&some.classes), sum_of(&all.classes));
            }
            runs[0] += some.runs;
            runs[1] += all.runs;
            free(some.arena.base);
            free(all.arena.base);
        }
    }
    assert_true(10 * runs[0] < runs[1]);
}

/* The smallest P with k! C(n, k) (1 - 1/k!)^P <= 0.01. */
static void so_many_orders_are_needed(void **state) {
    (void)state;
    static const struct {
        uint32_t of, ordered;
        uint64_t needed;
    } rows[] = {
        {2, 2, 8},    {3, 2, 10},    {4, 2, 11},     {5, 2, 11},    {6, 2, 12},  {8, 2, 13},
        {10, 2, 14},  {3, 3, 36},    {4, 3, 43},     {5, 3, 48},    {6, 3, 52},  {8, 3, 58},
        {10, 3, 62},  {16, 3, 70},   {20, 3, 74},    {600, 3, 131}, {4, 4, 183}, {6, 4, 247},
        {16, 4, 360}, {600, 4, 710}, {600, 5, 4371}, {5, 1, 1},
    };
    for (size_t i = 0; i < RD_COUNT(rows); i++)
        unit_count("orders", "needed", rd_permutations_needed(rows[i].of, rows[i].ordered, 0.01), rows[i].needed);
    /* an order and its reverse, with certainty */
    assert_int_equal(rd_permutations_of(600, 0, 2, 0.01, 1).count, 2);
    struct rd_permutations few = rd_permutations_of(3, 2, 2, 0.01, 1), many = rd_permutations_of(8, 2, 2, 0.01, 1);
    assert_true(few.kind == RD_PERMUTATION_ALL && few.count == 120);
    assert_true(many.kind == RD_PERMUTATION_RANDOM && many.count == rd_permutations_needed(10, 4, 0.01));
    assert_true(rd_permutations_of(8, 2, 2, 0, 1).kind == RD_PERMUTATION_ALL);
}

/* Each order comes once, and each is a permutation. */
static void all_orders_are_all(void **state) {
    (void)state;
    struct rd_permutations p = rd_permutations_of(4, 1, 5, 0, 1);
    struct tally t = new_tally(0);
    assert_int_equal(p.count, 120);
    for (uint64_t k = 0; k < p.count; k++) {
        uint16_t at[5];
        uint64_t key = 0, there = 0;
        rd_permutations_at(&p, k, at);
        for (uint32_t i = 0; i < 5; i++) {
            key = key * 8 + at[i];
            there |= 1u << at[i];
        }
        assert_int_equal(there, 31);
        add(&t, &t.orders, key << 1);
    }
    assert_int_equal(t.orders.count, 120);
    free(t.arena.base);
}

enum { RUNS = 4000, SEED = 20 };

/* The probabilities are exact (all draws are enumerated); shares are accepted within four standard deviations. */
static void samples_find_bugs_as_often_as_they_should(void **state) {
    (void)state;
    static const struct {
        sim_build build;
        int n;
        const char *strategy;
        double share;
    } rows[] = {
        {sim_rank1, 0, "rank:random,c=1", 1 / 2.},       {sim_rank2, 0, "rank:random,c=1", 1 / 18.},
        {sim_rank3, 0, "rank:random,c=2", 1 / 96.},      {sim_rank4, 0, "rank:random,c=2", 0},
        {sim_rank9, 0, "rank:random,c=1", 1 / 48.},      {sim_rank4, 0, "rank:random,c=2,v=2", 1 / 432.},
        {sim_abba, 0, "rank:random,c=1", 1 / 24.},       {sim_reorder, 2, "rank:random,c=1", 1 / 18.},
        {sim_split_sync, 0, "rank:random,c=1", 5 / 72.},
    };
    for (size_t i = 0; i < RD_COUNT(rows); i++) {
        struct sim_program p = sim_make(rows[i].build, rows[i].n, 0);
        struct sim_result r;
        sim_explore(&p, rows[i].strategy, &(struct sim_options){.executions_max = RUNS, .seed = SEED}, &r);
        double hits = (double)(r.asserts + r.deadlocks), off = hits - RUNS * rows[i].share;
        if (off * off > 16 * RUNS * rows[i].share * (1 - rows[i].share)) {
            print_error("%s: %.0f hits, expected %.1f\n", p.name, hits, RUNS * rows[i].share);
            fail();
        }
    }
}

static void claims(const struct sim_program *p, const char *strategy, const char *sentence, bool likely) {
    struct sim_search s = sim_search_open(p, strategy, NULL);
    sim_search_rest(&s);
    struct rd_claim c = sim_search_claim(&s);
    assert_memory_equal(c.proved, sentence, strlen(sentence)); /* followed by the number of executions */
    assert_memory_equal(c.proved + strlen(sentence), " (", 2);
    assert_string_equal(c.voids, "");
    assert_int_equal(c.likely, likely);
    assert_false(c.complete);
    sim_search_close(&s);
}

static void the_claim(void **state) {
    (void)state;
    struct sim_program two = sim_make(sim_all_conflict, 2, 2), many = sim_make(sim_all_conflict, 9, 1);
    struct sim_program four = sim_make(sim_store_buffer, 0, 0), alone = sim_make(sim_independent, 2, 2);
    claims(&two, "rank:c=0", "every order of the 2 threads without a preemption was run", false);
    claims(&two, "rank:c=1",
           "every order of the 2 threads with at most 1 preemption at any of 1 shared variable was run", false);
    claims(&four, "rank:v=1",
           "every order of the 2 threads with at most 2 preemptions at any 1 of 2 shared variables was run", false);
    claims(&four, "rank:all",
           "every order of the 2 threads with at most 2 preemptions at any of 2 shared variables was run", false);
    /* No variable to preempt at, or no preemption allowed. */
    claims(&four, "rank:v=0", "every order of the 2 threads without a preemption was run", false);
    claims(&alone, "rank", "every order of the 2 threads without a preemption was run", false);
    claims(&alone, "rank:private,c=1,v=1",
           "every order of the 2 threads with at most 1 preemption at any 1 of 2 variables was run", false);
    claims(&many, "rank:c=0", "every order of any 2 threads without a preemption was run", false);
    claims(&many, "rank:c=0,t=3,e=5",
           "every order of any 3 threads without a preemption was run, with a probability of at least 95 %", true);
}

static int twice(int old, const int *r) { return 2 * old + 0 * r[0]; }
static int same_twice(const int *r) { return r[0] == r[1]; }
static int keep(int old, const int *r) { return old + 0 * r[0]; }
static int is_zero(const int *r) { return r[0] == 0; }

/* A variable accessed only if two reads differ, and a thread created only then: the search begins again. */
static void late_variables_begin_the_search_again(void **state) {
    (void)state;
    enum { X, Z, OUT = 0 };
    struct sim_program p = {.name = "late variable"};
    SIM_THREAD(&p, do_write(X, 1), do_trylock(Z, 0));
    SIM_THREAD(&p, do_read(X, 0), do_read(X, 1), do_if(same_twice, OUT), do_trylock(Z, 2), do_label(OUT));
    claims(&p, "rank:c=1",
           "every order of the 2 threads with at most 1 preemption at any 1 of 2 shared variables was run", false);
    struct sim_program q = {.name = "late thread", .main = true, .start_steps = true};
    SIM_THREAD(&q, do_spawn(1), do_rmw(X, keep, 0), do_if(is_zero, OUT), do_spawn(2), do_label(OUT));
    SIM_THREAD(&q, do_write(X, 1));
    SIM_THREAD(&q, do_write(X, 2));
    claims(&q, "rank:c=0", "every order of any 2 threads without a preemption was run", false);
}

static int only_first(const int *r) { return r[0] == 1 && r[1] == 0; }

/* The executions that track: `before` without `place`, `after` with it. */
struct late {
    rd_place place;
    uint64_t before, after;
};

static void note_late(void *ctx, const struct sim *s) {
    struct late *l = ctx;
    bool there = rd_track_find(s->rec.track, s->engine.plan.track_count, l->place, 1);
    l->before += s->engine.plan.access_points == RD_ACCESSES_AFTER && !there && l->after == 0;
    l->after += s->engine.plan.access_points == RD_ACCESSES_AFTER && there;
    assert_true(s->engine.plan.access_points != RD_ACCESSES_AFTER || there || l->after == 0);
}

/*
 * Data that two threads share only if a third one has not run yet. The orders of any two threads do not show this.
 * An execution with a priority change does, if the access follows a tracked one, or a check at the end: then the
 * pruned executions are searched again, with that data in the key.
 */
static void data_that_shows_later_begins_the_sets_again(void **state) {
    (void)state;
    enum { F, G, X, Y, P, Q, OUT = 0 };
    struct sim_program p = {.name = "late data"}, q = {.name = "very late data"};
    SIM_THREAD(&p, do_write(F, 1), do_write(X, 1), do_write(Y, 1));
    SIM_THREAD(&p, do_write(G, 1), do_write(X, 2));
    SIM_THREAD(&p, do_read(F, 0), do_read(G, 1), do_write(X, 3), do_if_zero(only_first, OUT), do_write(Y, 2),
               do_label(OUT));
    SIM_THREAD(&q, do_write(F, 1), do_write(X, 1), do_write(P, 1), do_write(Y, 1));
    SIM_THREAD(&q, do_write(G, 1), do_write(X, 2));
    SIM_THREAD(&q, do_read(F, 0), do_read(G, 1), do_write(X, 3), do_if_zero(only_first, OUT), do_write(Q, 1),
               do_write(Y, 2), do_label(OUT));
    struct sim_result r;
    struct late late = {.place = sim_focus_var(Y).first}, very = late;
    sim_explore(&p, "rank:c=1", &(struct sim_options){.seen = note_late, .ctx = &late, .seed = 2}, &r);
    assert_true(r.complete);
    assert_int_equal(late.before, 48); /* three sets: a variable that appears meanwhile belongs to the next stage */
    assert_int_equal(late.after, 54);  /* all four sets */
    sim_explore(&q, "rank:c=1", &(struct sim_options){.seen = note_late, .ctx = &very, .seed = 2}, &r);
    assert_true(r.complete);
    assert_int_equal(very.before, 48);
    assert_int_equal(very.after, 54);
}

static uint64_t tracked_set(const struct sim *s) {
    uint64_t h = 0;
    for (uint32_t i = 0; i < s->engine.plan.track_count; i++)
        h = s->rec.track[i].var < RD_RANK_VARS_MAX ? rd_hash2(h, s->rec.track[i].first) : h;
    return s->engine.plan.access_points == RD_ACCESSES_AFTER ? h : 0;
}

/*
 * Tells the search at its execution number `at` that tracks that the executions of the set do not count. Returns
 * how many more executions it runs than without that.
 */
static uint64_t begun_again(const struct sim_program *p, const char *strategy, uint64_t at, bool *same_set) {
    uint64_t runs[2];
    for (int again = 0; again < 2; again++) {
        struct sim_search s = sim_search_open(p, strategy, NULL);
        uint64_t tracks = 0, set = 0;
        while (sim_search_next(&s)) {
            uint64_t now = tracked_set(s.sim);
            tracks += now != 0;
            if (again && set)
                *same_set = now == set;
            set = 0;
            if (again && now && tracks == at) {
                s.search->hooks.restart_set(s.state);
                set = now;
            }
        }
        runs[again] = s.executions;
        assert_string_equal(sim_search_claim(&s).voids, "");
        assert_non_null(strstr(sim_search_claim(&s).proved, "any 1 of 2 shared variables was run"));
        sim_search_close(&s);
    }
    return runs[1] - runs[0];
}

static void a_set_is_begun_again(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_store_buffer, 0, 0);
    struct sim_search s = sim_search_open(&p, "rank:c=1,v=1,plain", NULL);
    uint64_t first = 0, of_first = 0, tracks = 0;
    while (sim_search_next(&s)) {
        uint64_t now = tracked_set(s.sim);
        first = first ? first : now;
        of_first += now && now == first;
        tracks += now != 0;
    }
    sim_search_close(&s);
    bool same = false;
    assert_true(of_first > 2 && tracks > of_first);
    assert_int_equal(begun_again(&p, "rank:c=1,v=1,plain", 3, &same), 3); /* these three executions are run again */
    assert_true(same);
    /* only the second set's */
    assert_int_equal(begun_again(&p, "rank:c=1,v=1,plain", of_first + 2, &same), 2);
    assert_true(same);
    /* with observed variables all sets begin again */
    assert_int_equal(begun_again(&p, "rank:c=1,v=1", 4, &same), 4);
}

/*
 * A loop of yields is held back by the fairness rule, which the key of covered executions does not contain: no
 * execution is pruned then. Where the fairness rule does not hold the loop back the picker does, after a hundred
 * yields.
 */
static void loops_of_yields_end(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_spin_flag, 0, 0);
    for (uint32_t yields = 1; yields < 2000; yields += 1000) {
        struct sim_options o = {.yields = yields};
        struct sim_result some, all;
        sim_explore(&p, "rank:c=1,e=0", &o, &some);
        sim_explore(&p, "rank:c=1,e=0,plain", &o, &all);
        assert_true(some.complete && some.hangs == 0 && some.fair_tails == 0 && all.ok == all.executions);
        assert_true(some.finals == all.finals && some.classes == all.classes);
        assert_int_equal(some.fairness > 0, yields == 1);
    }
}

/*
 * The sets of each size in order: those of the first blocks of all allocations, then of the second, none of third
 * ones.
 */
static void sets_come_in_order(void **state) {
    (void)state;
    struct rd_profile *p = calloc(1, sizeof *p);
    struct rd_outcome out = {.steps = 0};
    struct tally t = new_tally(0);
    struct rd_rank_vars vars = {.arena = &t.arena, .ordinal_max = 1};
    p->executions = 2;
    for (uint32_t i = 0; i < 5; i++) { /* c: used by one thread; b: read only; a and the last two: blocks 1, 0, 2 */
        p->blocks[i].ordinal = i == 3 ? 0 : i == 4 ? 2 : 1;
        p->vars[i] = (struct rd_var){.first = rd_place_make(RD_PLACE_HEAP, 64 * i), .size = 4, .reads = 3};
        p->vars[i].flags = i == 2 ? 0 : i == 1 ? RD_VAR_SHARED : RD_VAR_SHARED | RD_VAR_WRITTEN | RD_VAR_PLAIN;
        p->vars[i].block = i == 1 || i == 2 ? 0 : i + 1;
    }
    p->var_count = 5;
    rd_rank_vars_profile(&vars, &(struct rd_record){.out = &out, .profile = p});
    rd_rank_vars_list(&vars);
    assert_int_equal(vars.list.count, 3);
    assert_int_equal(vars.left_out, 1);
    static const char *const order[] = {"d", "b", "a", "db", "ad", "ab"};
    struct rd_rank_sets e = rd_rank_sets_begin(2, 0, false);
    for (size_t i = 0; i < RD_COUNT(order); i++) {
        char set[3] = "";
        assert_true(rd_rank_sets_next(&e, &vars));
        for (uint32_t k = 0; k < e.size; k++)
            set[k] = (char)('a' + vars.list.at[e.at[k]]);
        assert_string_equal(set, order[i]);
    }
    assert_false(rd_rank_sets_next(&e, &vars));
    free(t.arena.base);
    free(p);
}

/*
 * A post enables a thread of higher priority: that thread runs before the write after the post, whether or not all
 * shared data is observed. The same holds for a thread that waits for a lock: the read after the unlock does not
 * see the old value.
 */
static void an_enabled_thread_runs_before_the_next_access(void **state) {
    (void)state;
    struct sim_program post = {.name = "post, then write", .sems = {1, 0}}, unlock = {.name = "unlock, then read"};
    SIM_THREAD(&post, do_sem_wait(1), do_write(0, 1), do_sem_wait(0), do_read(0, 0));
    SIM_THREAD(&post, do_sem_post(1), do_write(0, 5), do_sem_wait(0));
    SIM_THREAD(&unlock, do_lock(0), do_write(0, 1), do_signal(0), do_unlock(0), do_read(0, 2));
    SIM_THREAD(&unlock, do_rmw(0, twice, 0), do_lock(0), do_write(0, 3), do_signal(0));
    static const char *const strategies[] = {"rank:v=1,c=1,e=0", "rank:v=1,c=1,e=0,plain"};
    for (size_t i = 0; i < RD_COUNT(strategies); i++) {
        struct sim_result r;
        sim_explore(&post, strategies[i], NULL, &r);
        unit_count(post.name, strategies[i], r.finals, 5);
        sim_explore(&unlock, strategies[i], NULL, &r);
        unit_count(unlock.name, strategies[i], r.finals, 5);
    }
    /* No preemption: in one of two orders the first thread waits for the post. */
    struct sim_result r;
    sim_explore(&post, "rank:c=0", NULL, &r);
    unit_count(post.name, "rank:c=0", r.finals, 2);
}

static void bad_parameters_are_refused(void **state) {
    (void)state;
    static const char *const bad[][2] = {
        {"rank:c=9", "strategy parameter 'c' of rank must be at most 8"},
        {"rank:t=0", "strategy parameter 't' of rank must be from 1 to 8"},
        {"rank:v=9", "strategy parameter 'v' of rank must be at most 8"},
        {"rank:e=51", "strategy parameter 'e' of rank must be at most 50 (per cent)"},
        {"rank:all,v=1", "'all' and 'v' cannot be used together"},
        {"rank:random,t=2", "'random' can be used with 'c', 'v', 'l' and 'private' only"},
        {"rank:random,c=0", "'random' needs at least one change and one variable"},
    };
    for (size_t i = 0; i < RD_COUNT(bad); i++) {
        struct rd_params params = {.seed = 1};
        struct rd_error error;
        assert_null(rd_search_parse(bad[i][0], &params, &error));
        assert_string_equal(error.text, bad[i][1]);
    }
}

int test_rank(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_of_brute_force),
        cmocka_unit_test(pruned_executions_were_covered),
        cmocka_unit_test(so_many_orders_are_needed),
        cmocka_unit_test(all_orders_are_all),
        cmocka_unit_test(samples_find_bugs_as_often_as_they_should),
        cmocka_unit_test(the_claim),
        cmocka_unit_test(late_variables_begin_the_search_again),
        cmocka_unit_test(data_that_shows_later_begins_the_sets_again),
        cmocka_unit_test(a_set_is_begun_again),
        cmocka_unit_test(loops_of_yields_end),
        cmocka_unit_test(sets_come_in_order),
        cmocka_unit_test(an_enabled_thread_runs_before_the_next_access),
        cmocka_unit_test(bad_parameters_are_refused),
    };
    return cmocka_run_group_tests_name("rank", tests, NULL, NULL);
}
