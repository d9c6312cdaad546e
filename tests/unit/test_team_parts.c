/*
 * test_team_parts.c - several workers on searches whose pieces depend on what was learned before: together they run
 * what one worker runs, however late they come and whose turn it is.
 */
#include "unit.h"

#include "sim_total.h"

enum { TURNS = 12 };
enum { MOST = 300 }; /* executions of a program: larger ones are for the fuzzer */

/* The variables are drawn from the profile of the first execution, whoever has run it. */
static void sets_of_variables_are_numbered(void **state) {
    static const char *const strategies[] = {"random:v=1", "random:v=2", "random:v=0"};
    struct sim_program p = sim_make(sim_two_stage, 2, 0);
    struct sim_options o = {.asserts_go_on = true, .executions_max = 300, .seed = 7};
    uint64_t helped = 0;
    (void)state;
    for (size_t k = 0; k < RD_COUNT(strategies); k++) {
        struct total one = total_by_one(&p, strategies[k], &o);
        for (uint64_t turns = 0; turns < TURNS; turns++) {
            struct total n = total_by_team(&p, strategies[k], &o, (uint32_t)(1 + turns % 3), turns);
            unit_count(strategies[k], "executions", n.executions, o.executions_max);
            unit_count(strategies[k], "schedules", n.sum, one.sum);
            helped += n.helped;
        }
    }
    assert_true(helped > 100);
}

/*
 * A branch has nothing to do with any other, so the paths are those of one worker. Where blocks get smaller on the
 * way all begin again, and how much was run before that depends on who came to it.
 */
static void every_order_of_blocks(void **state) {
    static const char *const strategies[] = {"exitblock", "exitblock:rw", "exitblock:dd", "exitblock:rw,dd"};
    uint64_t helped = 0, alike = 0, all = 0;
    (void)state;
    for (size_t i = 0; i < sim_case_count; i++) {
        struct sim_program p = sim_make(sim_cases[i].build, sim_cases[i].n, sim_cases[i].k);
        struct sim_options o = {.asserts_go_on = i % 2};
        for (size_t k = 0; k < RD_COUNT(strategies); k++) {
            struct total one = total_by_one(&p, strategies[k], &o);
            for (uint64_t turns = 0; turns < 3 && one.executions < MOST; turns++) {
                struct total n = total_by_team(&p, strategies[k], &o, (uint32_t)(1 + turns), i + k + turns);
                total_same_claim(strategies[k], &n.claim, &one.claim);
                assert_string_equal(n.claim.voids, one.claim.voids);
                unit_count(p.name, "classes", n.classes, one.classes);
                alike += n.executions == one.executions && n.cut == one.cut && n.sum == one.sum;
                all++;
                helped += n.helped;
            }
        }
    }
    assert_true(helped > 500 && alike * 10 > all * 9);
}

/* Within a bound exactly those sleep that do with one worker, unless what was relied on turns out to be wrong. */
static void every_class_within_a_bound(void **state) {
    static const char *const strategies[] = {"icb:sleep", "icb:c=1,sleep", "icb:c=2,sleep"};
    uint64_t helped = 0, alike = 0, all = 0;
    (void)state;
    for (size_t i = 0; i < sim_case_count; i++) {
        struct sim_program p = sim_make(sim_cases[i].build, sim_cases[i].n, sim_cases[i].k);
        struct sim_options o = {.asserts_go_on = i % 2};
        for (size_t k = 0; k < RD_COUNT(strategies); k++) {
            struct total one = total_by_one(&p, strategies[k], &o);
            for (uint64_t turns = 0; turns < 3 && one.executions < MOST; turns++) {
                struct total n = total_by_team(&p, strategies[k], &o, (uint32_t)(1 + turns), i + k + turns);
                assert_string_equal(n.claim.proved, one.claim.proved);
                unit_count(strategies[k], "complete", n.claim.complete, one.claim.complete);
                unit_count(strategies[k], "bound", (uint64_t)n.claim.preemptions, (uint64_t)one.claim.preemptions);
                unit_count(p.name, "classes", n.classes, one.classes);
                alike += n.executions == one.executions && n.cut == one.cut && n.sum == one.sum;
                all++;
                helped += n.helped;
            }
        }
    }
    assert_true(helped > 500 && alike * 10 > all * 9);
}

int test_team_parts(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_of_variables_are_numbered),
        cmocka_unit_test(every_order_of_blocks),
        cmocka_unit_test(every_class_within_a_bound),
    };
    return cmocka_run_group_tests_name("several workers, pieces that are learned", tests, NULL, NULL);
}
