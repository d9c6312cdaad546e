/*
 * test_time_shares.c - the time of each test of `raddle test`, simulated: the sum keeps to the budget, and no test
 * that needs more than its share gets less than it.
 */
#include "unit.h"

#include "cli/test/time_shares.h"

int test_time_shares(void);

enum { TESTS = 64 };

struct suite {
    uint32_t tests, at_once;
    double budget_s;
    double needs[TESTS];             /* the time after which the test ends by itself */
    double first[TESTS], got[TESTS]; /* in the first round, in the last one */
    double end_s;
};

/* One round, as run_tests.c plays it: the slot that becomes free first takes the next test. */
static void play_round(struct suite *s, const uint32_t *queue, uint32_t n, double first_s, double *got) {
    double free_at[TESTS];
    double began = s->end_s;
    for (uint32_t i = 0; i < s->at_once; i++)
        free_at[i] = began;
    for (uint32_t next = 0; next < n; next++) {
        uint32_t slot = 0;
        for (uint32_t i = 1; i < s->at_once; i++)
            slot = free_at[i] < free_at[slot] ? i : slot;
        double left = s->budget_s - free_at[slot];
        double slice = rd_time_shares_next(left, n - next, RD_MIN(s->at_once, n), first_s);
        assert_true(slice <= left);
        got[queue[next]] = RD_MIN(slice, s->needs[queue[next]]);
        free_at[slot] += got[queue[next]];
        s->end_s = RD_MAX(s->end_s, free_at[slot]);
    }
}

static void play(struct suite *s) {
    uint32_t queue[TESTS] = {0}, n = s->tests;
    for (uint32_t i = 0; i < n; i++)
        queue[i] = i;
    double first = rd_time_shares_first(s->budget_s, n, s->at_once);
    s->end_s = 0;
    if (first > 0) {
        play_round(s, queue, n, first, s->first);
        uint32_t again = 0;
        for (uint32_t i = 0; i < n; i++) {
            assert_true(s->first[i] >= RD_MIN(s->needs[i], first) - 1e-9); /* the same for all tests */
            if (s->first[i] < s->needs[i])
                queue[again++] = i;
        }
        n = again;
    }
    if (n)
        play_round(s, queue, n, 0, s->got);
    assert_true(s->end_s <= s->budget_s + 1e-6);
}

/* All tests are long: each gets nearly what the best division of whole tests among the slots gives the least one.
 */
static void all_long(void **state) {
    (void)state;
    for (uint32_t at_once = 1; at_once <= 20; at_once++)
        for (uint32_t tests = 1; tests <= TESTS; tests++) {
            struct suite s = {.tests = tests, .at_once = at_once, .budget_s = 60};
            uint32_t batches = (tests + at_once - 1) / at_once;
            for (uint32_t i = 0; i < tests; i++)
                s.needs[i] = 1e9;
            play(&s);
            double lost = rd_time_shares_first(60, tests, at_once) * batches;
            assert_true(lost < 60 * 0.26);
            for (uint32_t i = 0; i < tests; i++)
                assert_true(s.got[i] >= (60 - lost) / batches - 1e-6);
            assert_true(s.end_s > 60 - 1e-6);
        }
}

/* The cases that once went far beyond the budget. */
static void known_cases(void **state) {
    (void)state;
    struct suite seventeen = {.tests = 17, .at_once = 16, .budget_s = 60};
    for (uint32_t i = 0; i < 17; i++)
        seventeen.needs[i] = 1e9;
    play(&seventeen);
    struct suite one_long = {.tests = 21, .at_once = 20, .budget_s = 3};
    for (uint32_t i = 0; i < 20; i++)
        one_long.needs[i] = 0.3;
    one_long.needs[20] = 1e9;
    play(&one_long);
    assert_true(one_long.got[20] > 2);
    struct suite alone = {.tests = 1, .at_once = 16, .budget_s = 7, .needs = {1e9}};
    play(&alone);
    assert_true(alone.got[0] > 6.999);
}

/* Short and long tests in every order that a generator with fixed seeds gives: each gets its need or a fair part.
 */
static void mixed(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (uint32_t round = 0; round < 3000; round++) {
        struct suite s = {.budget_s = 30};
        s.tests = 1 + (uint32_t)((seed = seed * 6364136223846793005u + 1442695040888963407u) >> 33) % TESTS;
        s.at_once = 1 + (uint32_t)((seed = seed * 6364136223846793005u + 1442695040888963407u) >> 33) % 24;
        for (uint32_t i = 0; i < s.tests; i++) {
            uint32_t kind = (uint32_t)((seed = seed * 6364136223846793005u + 1442695040888963407u) >> 33) % 4;
            s.needs[i] = kind == 0 ? 1e9 : kind == 1 ? 0.02 : kind == 2 ? 1.5 : 12;
        }
        play(&s);
        uint32_t batches = (s.tests + s.at_once - 1) / s.at_once;
        for (uint32_t i = 0; i < s.tests; i++) {
            double most = RD_MAX(s.first[i], s.got[i]);
            double first = rd_time_shares_first(s.budget_s, s.tests, s.at_once);
            assert_true(most >= RD_MIN(s.needs[i], (s.budget_s - first * batches) / batches) - 1e-6);
        }
    }
}

int test_time_shares(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_long), cmocka_unit_test(known_cases),
                                       cmocka_unit_test(mixed)};
    return cmocka_run_group_tests_name("time shares", tests, NULL, NULL);
}
