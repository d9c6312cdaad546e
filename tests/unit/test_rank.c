/*
 * test_rank.c - variable and thread bounding: how many executions, schedules and orders of priorities there are, by
 * another implementation; that what is left out loses no state; how many orders are needed; what is claimed.
 */
#include "unit.h"

#include "base/map.h"
#include "search/rank_perm.h"
#include "sim_search.h"
#include "trace/profile.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 22 };

/* Executions with so many changes, what they show, and by which orders of priorities. */
struct tally {
    uint32_t changes; /* only plans with exactly this many; UINT32_MAX: all that track */
    struct rd_arena arena;
    struct rd_map schedules, orders, failing, finals, classes;
    uint64_t runs, states, classes_sum;
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
    if (t->changes == UINT32_MAX ? p->watch != RD_WATCH_AFTER : p->b != t->changes)
        return;
    if (p->watch == RD_WATCH_PROFILE && s->rec.profile->executions == 1)
        return; /* the one that is run to learn who there is */
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
    add(t, &t->classes, s->rec.out->order[0]);
    if (s->rec.out->verdict == RD_FOUND)
        add(t, &t->failing, order);
}

/* A hash of the keys, whatever the order they came in. */
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

/* All orders of n + c priorities, all changes after accesses, nothing left out. */
static void counts_are_those_of_brute_force(void **state) {
    (void)state;
    static const struct {
        sim_build build;
        int n;
        uint32_t c;
        uint64_t runs, schedules, failing, orders;
    } rows[] = {
        {sim_rank1, 0, 0, 2, 2, 1, 2},        {sim_rank2, 0, 1, 12, 3, 1, 6},      {sim_rank3, 0, 2, 96, 6, 2, 24},
        {sim_rank4, 0, 2, 264, 14, 1, 24},    {sim_rank8, 0, 0, 6, 6, 2, 6},       {sim_rank9, 0, 1, 48, 12, 2, 24},
        {sim_rank10, 0, 2, 840, 30, 1, 120},  {sim_rank12, 0, 2, 504, 20, 2, 24},  {sim_split_sync, 0, 1, 78, 4, 2, 6},
        {sim_abba, 0, 1, 42, 6, 2, 6},        {sim_reorder, 2, 1, 96, 22, 8, 24},  {sim_reorder, 3, 1, 600, 150, 36, 120},
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

/* Executions without a yield: the same states and classes with much less. */
static void what_is_left_out_was_covered(void **state) {
    (void)state;
    static const char *const strategies[][2] = {
        {"rank:all,e=0,c=1", "rank:all,e=0,c=1,plain"},
        {"rank:all,e=0,c=2", "rank:all,e=0,c=2,plain"},
        {"rank:v=1,e=0,c=2", "rank:v=1,e=0,c=2,plain"},
    };
    uint64_t runs[2] = {0};
    for (size_t i = 0; i < sim_case_count; i++) {
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
            if (k < 2) { /* else there are events of what is only watched along, too */
                unit_count(p.name, "classes", some.classes.count, all.classes.count);
                assert_int_equal(sum_of(&some.classes), sum_of(&all.classes));
            }
            runs[0] += some.runs;
            runs[1] += all.runs;
            free(some.arena.base);
            free(all.arena.base);
        }
    }
    print_message("%llu of %llu\n", (unsigned long long)runs[0], (unsigned long long)runs[1]);
}

int test_rank(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_of_brute_force),
        cmocka_unit_test(what_is_left_out_was_covered),
    };
    return cmocka_run_group_tests_name("rank", tests, NULL, NULL);
}
