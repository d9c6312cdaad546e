/*
 * test_auto.c - the default strategy: its claims against brute force, the share of the executions that each part
 * gets, and its behaviour when the budget, the memory or the program does not allow the proof that it attempts.
 */
#include "unit.h"

#include "pick/pick.h"
#include "search/auto/refutation.h"
#include "search/auto/sampler_rotation.h"
#include "sim_search.h"

#include <string.h>

enum { LARGE = 3000 };

/*
 * `auto` reaches every class, final state and failure that the brute-force enumerator reaches, which shares no code
 * with the searches.
 */
static void is_complete(void **state) {
    (void)state;
    for (size_t i = 0; i < sim_case_count; i++) {
        struct sim_program p = sim_make(sim_cases[i].build, sim_cases[i].n, sim_cases[i].k);
        struct sim_options o = {.asserts_go_on = true};
        struct sim_result all, r;
        sim_enumerate(&p, &o, &all);
        if (all.executions > LARGE)
            continue;
        sim_explore(&p, "auto", &o, &r);
        assert_true(r.complete);
        /*
         * an execution in which the fairness rule held a thread back: the reduction let that thread yield more
         * often first
         */
        bool held = all.fairness > 0;
        unit_count(p.name, "classes", r.classes - (held && r.classes > all.classes), all.classes);
        unit_count(p.name, "failing classes", r.failing_classes, all.failing_classes);
        unit_count(p.name, "final states", r.finals, all.finals);
    }
}

/*
 * Three executions to begin with; then the proof and the sweep alternate until the proof has run its four classes.
 */
static void ends_with_the_proof(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_lost_update, 0, 0);
    struct sim_result r;
    sim_explore(&p, "auto", NULL, &r);
    unit_count(p.name, "executions", r.executions, 3 + 4 + 4);
    sim_explore(&p, "auto:sweep=2", NULL, &r);
    unit_count(p.name, "executions with a short sweep", r.executions, 3 + 4 + 2);
    sim_explore(&p, "auto:sweep=0", NULL, &r);
    unit_count(p.name, "executions without a sweep", r.executions, 4);
    unit_count(p.name, "classes", r.classes, 4);
}

static void begins_with_both_orders(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_lost_update, 0, 0);
    struct sim_search s = sim_search_open(&p, "auto", NULL);
    char text[16];
    assert_true(sim_search_next(&s));
    assert_string_equal(sim_schedule(s.sim, text, sizeof text), "AABB");
    assert_true(sim_search_next(&s));
    assert_string_equal(sim_schedule(s.sim, text, sizeof text), "BBAA");
    sim_search_close(&s);
}

/* The number of executions that each picker has run. The budget is `budget` executions; 0: no limit. */
struct tally {
    uint64_t by[RD_PICKERS];
    struct rd_claim claim;
    uint64_t sum, bytes;
    bool ended;
};

static struct tally run(const struct sim_program *p, const char *strategy, const struct sim_search *with,
                        uint64_t budget, uint64_t most) {
    struct tally t = {.ended = false};
    struct sim_search s = sim_search_open(p, strategy, NULL);
    s.params.memory_max = with->params.memory_max;
    s.params.focused = with->params.focused;
    s.memory_unseen = with->memory_unseen;
    while (s.executions < most && !t.ended) {
        s.left = budget ? budget - RD_MIN(budget - 1, s.executions) : 0;
        t.ended = !sim_search_next(&s);
        t.by[s.plan.picker] += !t.ended;
    }
    t.claim = sim_search_claim(&s);
    t.sum = s.sum;
    t.bytes = s.arena.used - s.arena.lent;
    sim_search_close(&s);
    return t;
}

static uint64_t samples(const struct tally *t) {
    return t->by[RD_PICK_SURW] + t->by[RD_PICK_POS] + t->by[RD_PICK_PCT] + t->by[RD_PICK_ROUND] +
           t->by[RD_PICK_URW] + t->by[RD_PICK_RFF];
}

/* The program has 34,650 classes: too many for 3,000 executions. */
static void shares_of_the_budget(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_critical, 3, 4);
    struct sim_search none = {.left = 0};
    struct tally t = run(&p, "auto", &none, 3000, 3000);
    assert_false(t.ended || t.claim.complete || t.claim.voids[0]);
    unit_count(p.name, "default order, and the bounds", t.by[RD_PICK_STAY] > 600, true);
    unit_count(p.name, "reverse", t.by[RD_PICK_LAST], 1);
    unit_count(p.name, "walk", t.by[RD_PICK_RANDOM], 1);
    unit_count(p.name, "a tenth for the proof", t.by[RD_PICK_FIRST] >= 300 && t.by[RD_PICK_FIRST] < 1700, true);
    unit_count(p.name, "samples", samples(&t) > 600, true);
    unit_count(p.name, "preemptions that are proved", t.claim.preemptions >= 1, true);
    assert_non_null(strstr(t.claim.proved, "every state that a thread can reach with at most "));
    assert_true(t.claim.chance[0] && t.claim.classes > 1000);
    struct tally again = run(&p, "auto", &none, 3000, 3000);
    assert_true(t.sum == again.sum);
}

/* The program has 12! orders without a preemption. The claim is then that no execution with one delay fails. */
static void few_delays_where_there_are_many_threads(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_critical, 12, 2);
    struct sim_search none = {.left = 0};
    struct tally t = run(&p, "auto", &none, 3000, 3000);
    assert_false(t.ended || t.claim.complete || t.claim.voids[0]);
    assert_int_equal(t.claim.preemptions, -1);
    assert_int_equal(t.claim.delays, 1);
    assert_non_null(strstr(t.claim.proved, "at most 1 delay"));
}

/* The program has 1,680 schedules: after the sweep, the estimate says that dfs will finish. */
static void only_the_proof_if_it_fits(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_independent, 3, 3);
    struct sim_search focus = {.params = {.focused = true}};
    struct tally t = run(&p, "auto:sweep=100", &focus, 10000, 10000);
    assert_true(t.ended && t.claim.complete);
    unit_count(p.name, "executions of dfs", t.by[RD_PICK_STAY], 1 + 1680);
    unit_count(p.name, "few others", samples(&t) < 150, true);
    t = run(&p, "auto:sweep=100", &focus, 1000, 1000); /* here the estimate says that dfs will not finish */
    assert_false(t.ended || t.claim.complete);
    unit_count(p.name, "many others", samples(&t) > 250, true);
}

/* With a focus no schedule may be left out, and pct, which claims a probability, is not used. */
static void with_a_focus(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_lost_update, 0, 0);
    struct sim_search focus = {.params = {.focused = true}};
    struct tally t = run(&p, "auto", &focus, 0, 10000);
    assert_true(t.ended && t.claim.complete);
    unit_count(p.name, "executions of a reduction", t.by[RD_PICK_FIRST], 0);
    unit_count(p.name, "executions with priorities", t.by[RD_PICK_PCT], 0);
    unit_count(p.name, "of dfs", t.by[RD_PICK_STAY], 1 + 6);
}

/* The fairness rule holds back a thread that yields: the reduction makes no claim then, and dfs takes over. */
static void with_the_fairness_rule(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_spin_flag, 0, 0);
    struct sim_search none = {.left = 0};
    struct sim_result all;
    sim_enumerate(&p, NULL, &all);
    struct tally t = run(&p, "auto", &none, 0, 10000);
    assert_true(t.ended && t.claim.complete && !t.claim.voids[0]);
    assert_true(strcmp(t.claim.proved, rd_search_dpor.guarantee.sentence) != 0);
    unit_count(p.name, "of dfs", t.by[RD_PICK_STAY], 1 + all.executions);
}

/* The reduction does not know memory accesses that are not seen, so the sweep runs to its end. */
static void where_memory_is_not_seen(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_lost_update, 0, 0);
    struct sim_search blind = {.memory_unseen = true};
    struct tally t = run(&p, "auto:sweep=50", &blind, 0, 10000);
    assert_true(t.ended && t.claim.complete);
    unit_count(p.name, "executions of the proof", t.by[RD_PICK_FIRST], 4);
    unit_count(p.name, "of the sweep", samples(&t), 50 + 1);
}

/* The search keeps within its memory limit and continues, and its claim holds. */
static void little_memory(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_all_conflict, 4, 6);
    for (uint64_t limit = (uint64_t)1 << 20; limit <= 1 << 22; limit <<= 2) {
        for (int focused = 0; focused < 2; focused++) {
            struct sim_search little = {.params = {.memory_max = limit, .focused = focused}};
            struct tally t = run(&p, "auto", &little, 3000, 3000);
            assert_false(t.ended || t.claim.complete || t.claim.incomplete || t.claim.voids[0]);
            assert_true(t.bytes < limit * 3 / 2);
        }
    }
}

static void note(struct rd_refutation *a, uint64_t number, bool proof) {
    struct rd_outcome out = {.verdict = RD_PASSED, .class_hash = {rd_mix(number), 0}};
    struct rd_record r = {.out = &out};
    rd_refutation_note(a, &r, proof);
}

static void samples_refute_a_proof(void **state) {
    (void)state;
    static char memory[1 << 14];
    struct rd_arena arena;
    struct rd_refutation a;
    rd_arena_init(&arena, memory, sizeof memory);
    rd_refutation_open(&a, &arena, 0);
    note(&a, 5, false);
    assert_true(rd_refutation_refutes(&a));
    note(&a, 5, true);
    note(&a, 5, false);
    note(&a, 6, true);
    assert_false(rd_refutation_refutes(&a));
    note(&a, 7, false);
    note(&a, 7, false);
    assert_true(rd_refutation_refutes(&a));
    note(&a, 7, true);
    assert_false(rd_refutation_refutes(&a));
    rd_refutation_open(&a, &arena, 256); /* room for two classes only: the refutation gives no verdict after that */
    for (uint64_t i = 1; i < 9; i++)
        note(&a, i, false);
    assert_false(rd_refutation_refutes(&a));
}

static void turns_by_shares(void **state) {
    (void)state;
    static const uint32_t share[] = {50, 0, 30, 20};
    struct rd_turns t = {{0}};
    uint32_t got[4] = {0};
    for (uint32_t i = 0; i < 100; i++)
        got[rd_turns_next(&t, share, 4)]++;
    for (uint32_t i = 0; i < 4; i++)
        unit_count("turns", "share", got[i], share[i]);
}

/* Whenever the program diverges, no part relies on recorded executions from then on, and the search makes no claim.
 */
static void relies_on_no_record_after_a_divergence(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_lost_update, 0, 0);
    for (uint32_t when = 1; when < 40; when++) {
        struct sim_search s = sim_search_open(&p, "auto:sweep=16", NULL);
        s.memory_unseen = when % 2;
        for (uint32_t i = 0; i < when && sim_search_next(&s); i++)
            ;
        s.search->hooks.diverged(s.state);
        for (uint32_t i = 0; i < 100; i++) {
            assert_true(sim_search_next(&s));
            unit_count(p.name, "choices of a plan", s.plan.prefix_count, 0);
        }
        struct rd_claim c = sim_search_claim(&s);
        assert_false(c.complete);
        assert_int_equal(c.preemptions, -1);
        assert_string_equal(c.proved, "");
        sim_search_close(&s);
    }
}

int test_auto(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_complete),
        cmocka_unit_test(begins_with_both_orders),
        cmocka_unit_test(ends_with_the_proof),
        cmocka_unit_test(shares_of_the_budget),
        cmocka_unit_test(few_delays_where_there_are_many_threads),
        cmocka_unit_test(only_the_proof_if_it_fits),
        cmocka_unit_test(with_a_focus),
        cmocka_unit_test(with_the_fairness_rule),
        cmocka_unit_test(where_memory_is_not_seen),
        cmocka_unit_test(little_memory),
        cmocka_unit_test(samples_refute_a_proof),
        cmocka_unit_test(turns_by_shares),
        cmocka_unit_test(relies_on_no_record_after_a_divergence),
    };
    return cmocka_run_group_tests_name("auto", tests, NULL, NULL);
}
