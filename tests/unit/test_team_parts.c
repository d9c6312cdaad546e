/*
 * test_team_parts.c - several workers on searches in which later pieces depend on what earlier ones learned:
 * together they run the executions of one worker, however late they join and in any order of turns.
 */
#include "unit.h"

#include "base/map.h"
#include "search/bounded/bound.h"
#include "search/rank/rank_vars.h"
#include "sim_total.h"
#include "trace/place.h"
#include "trace/profile.h"

#include <stdlib.h>
#include <string.h>

enum { TURNS = 12 };
enum { MOST = 300, FEW = 60 }; /* executions of a program: the fuzzer runs larger ones */

/* The sets of variables are drawn from the profile of the first execution, whichever worker has run it. */
static void sets_of_variables_are_numbered(void **state) {
    static const char *const strategies[] = {"random:v=1", "random:v=2", "random:v=0"};
    struct sim_program p = sim_make(sim_two_stage, 2, 0);
    struct sim_options o = {.asserts_go_on = true, .executions_max = 300, .seed = 7};
    uint64_t helped = 0;
    (void)state;
    for (size_t k = 0; k < RD_COUNT(strategies); k++) {
        struct total one = total_by_one(&p, strategies[k], &o);
        for (uint64_t turns = 0; turns < TURNS; turns++) {
            if (!unit_takes(turns, 4))
                continue;
            struct total n = total_by_team(&p, strategies[k], &o, (uint32_t)(1 + turns % 3), turns);
            unit_count(strategies[k], "executions", n.executions, o.executions_max);
            unit_count(strategies[k], "schedules", n.sum, one.sum);
            helped += n.helped;
        }
    }
    assert_true(helped > (unit_is_slow() ? 100u : 10u));
}

/*
 * Branches are independent, so the paths are those of one worker. Where blocks become smaller on the way all
 * workers begin again, and the number of executions until then depends on the order of turns.
 */
static void every_order_of_blocks(void **state) {
    static const char *const strategies[] = {"exitblock", "exitblock:rw", "exitblock:dd", "exitblock:rw,dd"};
    uint64_t helped = 0, alike = 0, all = 0;
    (void)state;
    for (size_t i = 0; i < sim_case_count; i++) {
        if (!unit_takes(i, 6))
            continue;
        struct sim_program p = sim_make(sim_cases[i].build, sim_cases[i].n, sim_cases[i].k);
        struct sim_options o = {.asserts_go_on = i % 2};
        for (size_t k = 0; k < RD_COUNT(strategies); k++) {
            struct totals both = total_by_both_if_small(&p, strategies[k], &o, i + k, MOST);
            const struct total one = both.one, n = both.team;
            if (!one.executions)
                continue;
            total_same_claim(strategies[k], &n.claim, &one.claim);
            unit_count(p.name, "classes", n.classes, one.classes);
            alike += n.executions == one.executions && n.cut == one.cut && n.sum == one.sum;
            all++;
            helped += n.helped;
        }
    }
    assert_true(helped > (unit_is_slow() ? 100u : 10u) && alike * 10 > all * 9);
}

/*
 * Within a bound the sleep sets are exactly those of one worker, unless an assumption of a worker turns out to be
 * wrong.
 */
static void every_class_within_a_bound(void **state) {
    static const char *const strategies[] = {"icb:sleep", "icb:c=1,sleep", "icb:c=2,sleep"};
    uint64_t helped = 0, alike = 0, all = 0;
    (void)state;
    for (size_t i = 0; i < sim_case_count; i++) {
        if (!unit_takes(i, 5))
            continue;
        struct sim_program p = sim_make(sim_cases[i].build, sim_cases[i].n, sim_cases[i].k);
        struct sim_options o = {.asserts_go_on = i % 2};
        for (size_t k = 0; k < RD_COUNT(strategies); k++) {
            struct totals both = total_by_both_if_small(&p, strategies[k], &o, i + k, MOST);
            const struct total one = both.one, n = both.team;
            if (!one.executions)
                continue;
            assert_string_equal(n.claim.proved, one.claim.proved);
            unit_count(strategies[k], "complete", n.claim.complete, one.claim.complete);
            unit_count(strategies[k], "bound", (uint64_t)n.claim.preemptions, (uint64_t)one.claim.preemptions);
            unit_count(p.name, "classes", n.classes, one.classes);
            if (k == 0 && o.asserts_go_on && !one.claim.voids[0] && one.executions < FEW) {
                struct sim_result every;
                sim_enumerate(&p, &o, &every);
                unit_count(p.name, "classes of brute force", n.classes, every.classes);
            }
            alike += n.executions == one.executions && n.cut == one.cut && n.sum == one.sum;
            all++;
            helped += n.helped;
        }
    }
    assert_true(helped > (unit_is_slow() ? 100u : 10u) && alike * 10 > all * 9);
}

/* Compares two claims except for the number of executions at their end. */
static void same_words(const char *got, const char *wanted) {
    const char *end = strstr(wanted, " (");
    if (end)
        assert_memory_equal(got, wanted, (size_t)(end - wanted));
    else
        assert_string_equal(got, wanted);
}

/*
 * The stages and the claim are those of one worker. Covered executions are pruned whichever worker has covered
 * them, so the number of executions may differ a little, as with another order of them; with `plain` no execution
 * is pruned, and the numbers are equal.
 */
static void every_stage_of_ranks(void **state) {
    static const char *const strategies[] = {"rank:plain", "rank:c=1,e=0,plain", "rank:all,c=1,plain", "rank",
                                             "rank:c=1,e=0"};
    uint64_t helped = 0, alike = 0, all = 0, alone = 0, together = 0;
    (void)state;
    for (size_t i = 0; i < sim_case_count; i += 3) {
        if (!unit_takes(i, 4))
            continue;
        struct sim_program p = sim_make(sim_cases[i].build, sim_cases[i].n, sim_cases[i].k);
        struct sim_options o = {.asserts_go_on = i % 2, .seed = i};
        for (size_t k = 0; k < RD_COUNT(strategies); k++) {
            struct totals both = total_by_both_if_small(&p, strategies[k], &o, i + k, MOST);
            const struct total one = both.one, n = both.team;
            if (!one.executions)
                continue;
            bool plain = strstr(strategies[k], "plain") != NULL;
            same_words(n.claim.proved, one.claim.proved);
            unit_count(p.name, "likely", n.claim.likely, one.claim.likely);
            assert_string_equal(n.claim.voids, one.claim.voids);
            alike += plain && n.executions == one.executions && n.sum == one.sum;
            all += plain;
            alone += one.executions;
            together += n.executions;
            helped += n.helped;
        }
    }
    assert_true(helped > (unit_is_slow() ? 100u : 10u) && alike * 20 > all * 19 && together < alone + alone / 20);
}

/* The set of variables that the execution tracks, as a hash; 0: the execution is about none. */
static uint64_t set_of(const struct sim *s) {
    uint64_t h = 0;
    for (uint32_t i = 0; s->engine.plan.access_points == RD_ACCESSES_AFTER && i < s->engine.plan.track_count; i++)
        h = s->rec.track[i].var < RD_RANK_VARS_MAX ? rd_hash2(h, s->rec.track[i].first) : h;
    return h;
}

/* There are more sets than one stage holds: each is explored, by any worker. */
static void every_set_of_many(void **state) {
    static char region[1 << 16];
    struct sim_program p = {.name = "seven variables"};
    (void)state;
    for (uint8_t t = 0; t < 2; t++) {
        sim_thread(&p, NULL, 0);
        for (uint8_t i = 0; i < 7; i++)
            SIM_APPEND(&p, do_write(i, t));
    }
    for (uint32_t workers = 1; workers <= 3; workers++) {
        struct rd_arena a;
        struct rd_map sets = {0};
        rd_arena_init(&a, region, sizeof region);
        struct sim_team *team = sim_team_open(&p, "rank", &(struct sim_options){.seed = 1}, workers, workers);
        for (const struct sim *s; (s = sim_team_next(team)) != NULL;)
            if (set_of(s))
                *rd_map_put(&sets, &a, set_of(s)) = 1;
        struct rd_claim c = sim_team_claim(team);
        unit_count(p.name, "sets", sets.count, 7 + 7 * 6 / 2);
        same_words(c.proved,
                   "every order of the 2 threads with at most 2 preemptions at any 2 of 7 shared variables "
                   "was run (");
    }
    struct total one = total_by_one(&p, "rank", &(struct sim_options){.seed = 1});
    same_words(one.claim.proved, "every order of the 2 threads with at most 2 preemptions at any 2 of 7 shared "
                                 "variables was run (");
}

/* A profile with a variable that thread `owner` uses, and an array of thread 1. */
static void profile(struct rd_rank_vars *vars, struct rd_profile *p, rd_tid owner, bool array) {
    struct rd_outcome out = {.steps = 0};
    p->executions = 1;
    p->var_count = 1 + array;
    p->vars[0] = (struct rd_var){.first = rd_place_make(RD_PLACE_HEAP, 0), .size = 4, .owner = owner};
    p->vars[0].flags = RD_VAR_PLAIN;
    p->vars[0].writes = owner == 1;
    p->vars[0].reads = owner != 1;
    p->vars[1] = (struct rd_var){.first = rd_place_make(RD_PLACE_HEAP, 64), .size = 512, .owner = 1, .writes = 80};
    p->vars[1].flags = RD_VAR_PLAIN | RD_VAR_WHOLE;
    rd_rank_vars_profile(vars, &(struct rd_record){.out = &out, .profile = p});
}

/*
 * A variable that one thread writes in the executions of one worker, and another thread reads in those of another
 * worker, is shared, whether the workers exchange this before or after the second access. An element of an array is
 * part of the array, also for a worker whose own profiles do not contain the array.
 */
static void variables_are_known_together(void **state) {
    static char region[1 << 20];
    struct rd_profile *p = calloc(1, sizeof *p);
    struct rd_arena a;
    (void)state;
    rd_arena_init(&a, region, sizeof region);
    struct rd_rank_vars one = {.arena = &a}, other = one, later = one;
    profile(&one, p, 1, true);
    rd_rank_vars_list(&one);
    assert_int_equal(one.list.count + one.data, 0);
    rd_rank_vars_merge(&later, &one);
    profile(&later, p, 2, false);
    assert_true(later.all.at[0].shared && later.all.at[0].written && later.all.at[0].data);
    assert_int_equal(later.data, 1);
    profile(&other, p, 2, false);
    rd_rank_vars_merge(&other, &one);
    assert_int_equal(other.all.count, 2);
    assert_true(other.all.at[0].shared && other.all.at[0].written && other.all.at[0].data);
    assert_false(other.all.at[1].shared);
    p->var_count = 0;
    struct rd_step step = {.op = RD_OP_WRITE, .tid = 2, .place = rd_place_make(RD_PLACE_HEAP, 72), .size = 8};
    struct rd_outcome out = {.steps = 1};
    rd_rank_vars_note(&other, &(struct rd_record){.out = &out, .steps = &step, .profile = p});
    assert_int_equal(other.all.count, 2);
    assert_true(other.all.at[1].shared && other.all.at[1].data && !other.all.at[1].gone);
    rd_rank_vars_list(&other);
    assert_int_equal(other.list.count, 2);
    free(p);
}

/*
 * Simulates an execution with a priority change whose steps before the change differ from the expected ones.
 * `counts`: the execution counts.
 */
static struct rd_claim strange_once(const struct sim_program *p, bool counts) {
    struct sim_team *team = sim_team_open(p, "rank:c=1,v=1", &(struct sim_options){.seed = 1}, 1, 1);
    struct sim_worker *w = &team->at[0];
    bool done = false;
    for (struct sim *s; (s = sim_team_next(team)) != NULL;) {
        struct rd_claim meanwhile = rd_claim_none();
        if (done || s->rec.out->preemptions == 0 || !set_of(s))
            continue;
        done = true;
        s->rec.steps[0].fp ^= 1;
        team->search->feedback(w->team.state, &w->plan, &s->rec);
        team->search->claim(w->team.state, &meanwhile);
        if (!counts)
            team->search->hooks.restart_set(w->team.state);
        w->state = SIM_WORKER_READY;
    }
    assert_true(done);
    return sim_team_claim(team);
}

/*
 * An execution in which code was wrongly off does not count: it is no sign that the program is not deterministic.
 */
static void uncounted_executions_are_no_sign_of_nondeterminism(void **state) {
    struct sim_program p = sim_make(sim_store_buffer, 0, 0);
    (void)state;
    assert_string_equal(strange_once(&p, true).voids, "the program is not deterministic");
    assert_string_equal(strange_once(&p, false).voids, "");
}

int test_team_parts(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_of_variables_are_numbered),
        cmocka_unit_test(every_order_of_blocks),
        cmocka_unit_test(every_class_within_a_bound),
        cmocka_unit_test(every_stage_of_ranks),
        cmocka_unit_test(every_set_of_many),
        cmocka_unit_test(variables_are_known_together),
        cmocka_unit_test(uncounted_executions_are_no_sign_of_nondeterminism),
    };
    return cmocka_run_group_tests_name("several workers, pieces that are learned", tests, NULL, NULL);
}
