/*
 * test_auto_team.c - the default strategy with several workers: their common claim against brute force, that a
 * discovery of one worker counts for all, and which worker runs which part. The order of turns is random, from
 * fixed seeds.
 */
#include "unit.h"

#include "base/map.h"
#include "search/auto/refutation.h"
#include "search/team/part.h"
#include "sim_search.h"
#include "sim_team.h"

#include <stdlib.h>
#include <string.h>

/* The number of executions that each picker has run, of all workers and of the first one. */
struct tally {
    uint64_t by[RD_PICKERS], first[RD_PICKERS];
    uint64_t classes;
    struct rd_claim claim;
};

/* The options of a test; zeroes are the defaults. */
struct setting {
    uint64_t budget, memory_max; /* 0: no limit */
    bool focused, memory_unseen;
};

static struct tally run(const struct sim_program *p, const char *strategy, const struct setting *with,
                        uint32_t workers, uint64_t turns) {
    static char region[1 << 22];
    struct rd_arena a;
    struct rd_map classes = {0};
    struct tally n = {.classes = 0};
    struct sim_options o = {.executions_max = with->budget, .asserts_go_on = true};
    rd_arena_init(&a, region, sizeof region);
    struct sim_team *t = sim_team_open(p, strategy, &o, workers, turns);
    t->params.focused = with->focused;
    t->params.memory_max = with->memory_max;
    t->memory_unseen = with->memory_unseen;
    for (uint64_t i = 0;; i++) {
        t->left = with->budget ? with->budget - RD_MIN(with->budget - 1, i) : 0;
        const struct sim *s = sim_team_next(t);
        if (!s)
            break;
        for (uint32_t w = 0; w < workers; w++) {
            if (t->at[w].sim != s)
                continue;
            n.by[t->at[w].plan.picker]++;
            n.first[t->at[w].plan.picker] += w == 0;
        }
        const struct rd_outcome *out = s->rec.out;
        if (out->verdict != RD_CUT)
            n.classes += (*rd_map_put(&classes, &a, out->class_hash[0] ^ rd_mix(out->class_hash[1])))++ == 0;
    }
    n.claim = sim_team_claim(t);
    return n;
}

static uint64_t samples(const uint64_t *by) {
    return by[RD_PICK_SURW] + by[RD_PICK_POS] + by[RD_PICK_PCT] + by[RD_PICK_ROUND] + by[RD_PICK_URW] +
           by[RD_PICK_RFF];
}

static void every_class_is_proved(void **state) {
    static const char *const strategies[] = {"auto", "auto:sweep=0", "auto:sweep=7"};
    enum { MOST = 2000 };
    uint64_t others = 0;
    (void)state;
    for (size_t i = 0; i < sim_case_count; i++) {
        if (!unit_takes(i, 5))
            continue;
        struct sim_program p = sim_make(sim_cases[i].build, sim_cases[i].n, sim_cases[i].k);
        struct sim_options o = {.asserts_go_on = true};
        struct setting none = {0};
        struct sim_result all;
        sim_enumerate(&p, &o, &all);
        if (all.executions > MOST)
            continue;
        struct tally t = run(&p, strategies[i % 3], &none, (uint32_t)(2 + i % 3), i);
        assert_true(t.claim.complete && !t.claim.voids[0]);
        /* the reduction allows more yields than the enumerator before the fairness rule holds a thread back */
        if (all.fairness)
            unit_count(p.name, "all classes", t.classes >= all.classes, true);
        else
            unit_count(p.name, "classes", t.classes, all.classes);
        others += t.by[RD_PICK_FIRST] - t.first[RD_PICK_FIRST];
    }
    assert_true(others > 100); /* executions of the proof by workers other than the first */
}

/* The fairness rule holds back a thread in one worker: all workers begin again with dfs, and run every schedule. */
static void all_begin_again_with_dfs(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_spin_flag, 0, 0), q = sim_make(sim_critical, 3, 1);
    struct setting none = {0}, focus = {.focused = true};
    struct sim_result all;
    sim_enumerate(&p, NULL, &all);
    for (uint64_t turns = 0; turns < 6; turns++) {
        struct tally t = run(&p, "auto", &none, (uint32_t)(2 + turns % 3), turns);
        assert_true(t.claim.complete && !t.claim.voids[0]);
        assert_true(strcmp(t.claim.proved, rd_search_dpor.guarantee.sentence) != 0);
        unit_count(p.name, "of dfs", t.by[RD_PICK_STAY] >= 1 + all.executions, true);
        t = run(&q, "auto:sweep=5", &focus, (uint32_t)(2 + turns % 3), turns);
        assert_true(t.claim.complete && !t.claim.voids[0]);
        unit_count(q.name, "of a reduction", t.by[RD_PICK_FIRST], 0);
    }
}

/*
 * The program has 34,650 classes: too many for 3,000 executions. The first worker runs the proof, and most of the
 * bounds.
 */
static void part_of_them_on_bounds(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_critical, 3, 4);
    struct setting little = {.budget = 3000};
    for (uint64_t turns = 0; turns < 3; turns++) {
        if (!unit_takes(turns, 3))
            continue;
        struct tally t = run(&p, "auto", &little, (uint32_t)(2 + turns), turns);
        assert_false(t.claim.complete || t.claim.voids[0]);
        unit_count(p.name, "the bounds", t.by[RD_PICK_STAY] > 500, true);
        unit_count(p.name, "the proof", t.by[RD_PICK_FIRST] >= 200 && t.by[RD_PICK_FIRST] < 1700, true);
        unit_count(p.name, "samples", samples(t.by) > 600, true);
        unit_count(p.name, "most of them by others", samples(t.first) * 2 < samples(t.by), true);
        unit_count(p.name, "preemptions that are proved", t.claim.preemptions >= 1, true);
        assert_true(t.claim.chance[0] && t.claim.classes > 1000);
    }
}

static void the_sweep_is_one_for_all(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_lost_update, 0, 0);
    struct setting blind = {.memory_unseen = true};
    for (uint64_t turns = 0; turns < 6; turns++) {
        uint32_t workers = (uint32_t)(2 + turns % 3);
        struct tally t = run(&p, "auto:sweep=50", &blind, workers, turns);
        assert_true(t.claim.complete);
        unit_count(p.name, "executions of the proof", t.by[RD_PICK_FIRST], 4);
        uint64_t walk = t.by[RD_PICK_RANDOM];
        unit_count(p.name, "walks", walk, 1);
        /* an observing worker may have begun one more execution when the last one was counted */
        unit_count(p.name, "of the sweep", samples(t.by) >= 50 && samples(t.by) <= 51 + workers, true);
    }
}

/* The workers give up the parts that do not fit into their memory and continue, and their claim holds. */
static void little_memory(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_all_conflict, 4, 6);
    for (uint32_t i = 0; i < 4; i++) {
        struct setting little = {
            .budget = 2000, .memory_max = (uint64_t)1 << (i & 1 ? 20 : 17), .focused = (i & 2) != 0};
        struct tally t = run(&p, "auto", &little, 2 + i % 2, i);
        assert_false(t.claim.complete || t.claim.incomplete || t.claim.voids[0]);
    }
}

static void note(struct rd_refutation *a, uint64_t number, bool proof) {
    struct rd_outcome out = {.verdict = RD_PASSED, .class_hash = {rd_mix(number), 0}};
    struct rd_record r = {.out = &out};
    rd_refutation_note(a, &r, proof);
}

/* The proof of one worker refutes or confirms the samples of another. */
static void samples_refute_a_proof(void **state) {
    (void)state;
    struct rd_refutation_common *common = calloc(1, sizeof *common);
    struct rd_refutation a = {.common = common}, b = {.common = common};
    for (uint64_t i = 0; i < 100; i++)
        note(&a, i, false);
    for (uint64_t i = 50; i < 150; i++)
        note(&b, i, true);
    assert_true(rd_refutation_refutes(&a) && rd_refutation_refutes(&b));
    for (uint64_t i = 0; i < 49; i++)
        note(&a, i, true);
    assert_true(rd_refutation_refutes(&a) && rd_refutation_refutes(&b));
    note(&b, 49, true);
    assert_false(rd_refutation_refutes(&a) || rd_refutation_refutes(&b));
    for (uint64_t i = 0; i < 200; i++)
        note(&a, i % 150, false);
    assert_false(rd_refutation_refutes(&a));
    for (uint64_t i = 1000; i < 1000 + RD_REFUTATION_MAX; i++)
        note(&a, i, false); /* more classes than there is room for: the refutation gives no verdict after that */
    assert_false(rd_refutation_refutes(&b));
    free(common);
}

/*
 * The workers together have the same shares as one worker alone, and the shares of every worker have the same sum.
 */
static void slices_of_shares(void **state) {
    static const uint32_t shares[][3] = {{50, 0, 50}, {50, 25, 25}, {100, 0, 0}, {10, 45, 45}, {0, 45, 45}};
    (void)state;
    for (size_t i = 0; i < RD_COUNT(shares); i++) {
        for (uint32_t workers = 1; workers <= 64; workers++) {
            uint64_t sum[3] = {0}, all = shares[i][0] + shares[i][1] + shares[i][2];
            for (uint32_t w = 0; w < workers; w++) {
                uint32_t mine[3] = {shares[i][0], shares[i][1], shares[i][2]};
                rd_turns_slice(mine, 3, w, workers);
                unit_count("slice", "whole", mine[0] + mine[1] + mine[2], all);
                for (uint32_t k = 0; k < 3; k++)
                    sum[k] += mine[k];
            }
            for (uint32_t k = 0; k < 3; k++)
                unit_count("slice", "share", sum[k], (uint64_t)shares[i][k] * workers);
        }
    }
    uint32_t first[3] = {10, 45, 45}, second[3] = {10, 45, 45};
    rd_turns_slice(first, 3, 0, 2);
    rd_turns_slice(second, 3, 1, 2);
    assert_true(first[0] == 20 && first[1] == 80 && first[2] == 0);
    assert_true(second[0] == 0 && second[1] == 10 && second[2] == 90);
}

int test_auto_team(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_class_is_proved),  cmocka_unit_test(all_begin_again_with_dfs),
        cmocka_unit_test(part_of_them_on_bounds), cmocka_unit_test(the_sweep_is_one_for_all),
        cmocka_unit_test(little_memory),          cmocka_unit_test(samples_refute_a_proof),
        cmocka_unit_test(slices_of_shares),
    };
    return cmocka_run_group_tests_name("auto with several workers", tests, NULL, NULL);
}
