/*
 * test_thread_limits.c - ExitBlock's limits of threads: a program has as many paths as its part up to the limits
 * has without limits, an assertion up to the limits fails in both or in none, and threads go on beyond their limits
 * where others wait for them.
 */
#include "unit.h"

#include "base/rng.h"
#include "search/exitblock/exitblock.h"
#include "sim_programs.h"
#include "sim_total.h"
#include "trace/place.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { REGION = 1 << 28 };

static int plus_1(const int *r) { return r[0] + 1; }
static int doubled(const int *r) { return r[0] * 2; }
static int not_1(const int *r) { return r[0] != 1; }

struct limited {
    struct rd_exitblock_count count;
    struct rd_claim claim;
    uint64_t asserts;
};

static struct limited explore(const struct sim_program *p, const char *strategy, const struct rd_range *within) {
    struct limited l = {.asserts = 0};
    struct sim *sim = sim_open();
    sim_load(sim, p, NULL, NULL);
    struct rd_arena arena = sim_region(REGION);
    struct rd_params params = {.seed = 0};
    struct rd_error error;
    const struct rd_search *search = rd_search_parse(strategy, &params, &error);
    assert_non_null(search);
    params.ranges = within;
    params.range_count = within != NULL;
    void *state = search->open(&arena, &params);
    struct rd_draft d = {
        .prefix = sim->prefix, .prefix_max = SIM_STEPS_MAX, .sleep = sim->sleep, .weight = sim->weight};
    while (search->next(state, &d) == RD_NEXT_RUN) {
        sim_run(sim, &d.plan);
        assert_int_not_equal(sim->rec.out->verdict, RD_DIVERGED);
        l.asserts += sim->rec.out->verdict == RD_FOUND && sim->failed;
        search->feedback(state, &d.plan, &sim->rec);
    }
    l.count = rd_exitblock_count(state);
    l.claim = rd_claim_none();
    search->claim(state, &l.claim);
    munmap(arena.base, REGION);
    sim_close(sim);
    return l;
}

/* k threads with n critical sections each. */
static struct sim_program sections(uint32_t k, uint32_t n, bool same_data) {
    struct sim_program p = {.name = "critical sections"};
    for (uint32_t t = 0; t < k; t++) {
        sim_thread(&p, NULL, 0);
        for (uint32_t i = 0; i < n; i++) {
            uint8_t x = (uint8_t)(same_data ? 0 : t);
            SIM_APPEND(&p, do_lock(0), do_read(x, 0), do_write_fn(x, plus_1), do_unlock(0));
        }
    }
    return p;
}

/* The formulas of the paper, with the number of blocks up to the limit. */
static void counts_are_those_of_the_limit(void **state) {
    static const struct {
        uint32_t k, blocks;
        uint64_t orders, independent;
    } rows[] = {{2, 1, 2, 2}, {2, 2, 6, 3}, {2, 3, 20, 4}, {3, 1, 6, 4}, {3, 2, 90, 9}, {4, 1, 24, 8}};
    (void)state;
    for (size_t i = 0; i < RD_COUNT(rows); i++) {
        char plain[64], rw[64];
        snprintf(plain, sizeof plain, "exitblock:blocks=%u", rows[i].blocks);
        snprintf(rw, sizeof rw, "exitblock:rw,blocks=%u", rows[i].blocks);
        for (uint32_t more = 0; more < 3; more++) {
            struct sim_program all = sections(rows[i].k, rows[i].blocks + more, true);
            struct sim_program none = sections(rows[i].k, rows[i].blocks + more, false);
            struct limited l = explore(&all, plain, NULL);
            unit_count("all conflict", "paths", l.count.paths, rows[i].orders);
            assert_int_equal(l.claim.complete, more == 0);
            unit_count("all conflict", "paths with rw", explore(&all, rw, NULL).count.paths, rows[i].orders);
            unit_count("no conflict", "paths with rw", explore(&none, rw, NULL).count.paths, rows[i].independent);
        }
    }
}

/* Random critical sections of one lock (a lock of one thread only would end no block); with `limit`, only so many
 * of each thread. */
static struct sim_program make(uint64_t seed, uint32_t limit) {
    struct sim_program p = {.name = "random"};
    struct rd_rng rng;
    rd_rng_seed(&rng, seed);
    uint32_t threads = 2 + (uint32_t)rd_rng_below(&rng, 2);
    for (uint32_t t = 0; t < threads; t++) {
        sim_thread(&p, NULL, 0);
        uint32_t count = 1 + (uint32_t)rd_rng_below(&rng, 4);
        for (uint32_t i = 0; i < count; i++) {
            uint8_t x = (uint8_t)rd_rng_below(&rng, 2), kind = (uint8_t)rd_rng_below(&rng, 4);
            if (limit && i >= limit)
                continue;
            if (kind == 0)
                SIM_APPEND(&p, do_lock(0), do_read(x, 0), do_write_fn(x, doubled), do_unlock(0));
            else if (kind == 1)
                SIM_APPEND(&p, do_lock(0), do_read(x, 0), do_assert(not_1), do_unlock(0));
            else
                SIM_APPEND(&p, do_lock(0), do_read(x, 0), do_write_fn(x, plus_1), do_unlock(0));
        }
    }
    return p;
}

/* One block for each section: the part of the program up to the limit is a program of its own. */
static void the_part_up_to_the_limit(void **state) {
    static const char *const strategies[] = {"exitblock", "exitblock:rw", "exitblock:dd", "exitblock:rw,dd"};
    uint64_t fail = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        if (!unit_takes(seed, 4))
            continue;
        uint32_t limit = 1 + seed % 2;
        struct sim_program whole = make(seed, 0), part = make(seed, limit);
        struct sim_result all;
        sim_enumerate(&part, NULL, &all);
        fail += all.asserts > 0;
        for (size_t i = 0; i < RD_COUNT(strategies); i++) {
            char text[64];
            snprintf(text, sizeof text, "%s%cblocks=%u", strategies[i], strchr(strategies[i], ':') ? ',' : ':',
                     limit);
            struct limited l = explore(&whole, text, NULL), p = explore(&part, strategies[i], NULL);
            if (all.asserts) {
                assert_true(l.asserts > 0);
                continue; /* an assertion that fails ends paths */
            }
            if (!l.asserts && l.count.paths != p.count.paths)
                print_error("seed %llu, %s\n", (unsigned long long)seed, text);
            if (!l.asserts)
                unit_count(text, "paths", l.count.paths, p.count.paths);
        }
    }
    assert_true(fail > 3);
}

/* The first thread waits for a post that the second one makes only beyond its limit. */
static void others_wait_for_what_is_beyond(void **state) {
    (void)state;
    struct sim_program p = {.name = "waits for what comes beyond"};
    SIM_THREAD(&p, do_sem_wait(0), do_lock(0), do_write_fn(0, plus_1), do_unlock(0), do_lock(0), do_unlock(0));
    SIM_THREAD(&p, do_lock(0), do_write_fn(0, plus_1), do_unlock(0), do_lock(0), do_unlock(0), do_lock(0),
               do_unlock(0), do_sem_post(0));
    struct limited l = explore(&p, "exitblock:blocks=1", NULL);
    unit_count(p.name, "paths", l.count.paths, 1);
    assert_false(l.claim.complete);
    assert_non_null(strstr(l.claim.proved, "the first 1 block of each thread"));
    for (uint32_t workers = 1; workers <= 3; workers++) {
        struct sim_program q = sections(3, 4, true);
        struct sim_options o = {.timeouts = 0};
        struct total team = total_by_team(&q, "exitblock:blocks=2", &o, workers, 5);
        assert_non_null(strstr(team.claim.proved, "the first 2 blocks of each thread"));
        assert_non_null(strstr(team.claim.proved, "(90 paths)"));
        assert_false(team.claim.complete);
    }
}

enum { CODE = 0x400000, CODE_OF_THREAD = 0x1000, STEP_SIZE = 4, OPS = 4 };

/* Limits by code: a thread reaches its limit with the first block that ends elsewhere, after one inside. */
static void threads_leave_the_code(void **state) {
    (void)state;
    struct sim_program p = sections(2, 6, true);
    rd_place first = rd_place_make(RD_PLACE_MODULE, CODE), second = first + CODE_OF_THREAD;
    struct rd_range of_second = {.first = second, .last = second + CODE_OF_THREAD - 1, .list = RD_NAMES_WITHIN};
    /* the second thread never leaves the code, and the first one never enters it */
    struct limited l = explore(&p, "exitblock:within=f", &of_second);
    unit_count("never left", "paths", l.count.paths, 924);
    assert_true(l.claim.complete);
    /* the first two sections of the second thread: with the third one it is at its limit, after three blocks */
    struct rd_range two = {.first = second, .last = second + 2 * OPS * STEP_SIZE, .list = RD_NAMES_WITHIN};
    l = explore(&p, "exitblock:within=f", &two);
    unit_count("left", "paths", l.count.paths, 84); /* C(9, 3) */
    assert_false(l.claim.complete);
    assert_non_null(strstr(l.claim.proved, "until it leaves the code of within="));
    /* the second and third sections: a thread that has not been in the code has no limit there yet */
    struct rd_range later = {
        .first = second + OPS * STEP_SIZE + 1, .last = second + 3 * OPS * STEP_SIZE, .list = RD_NAMES_WITHIN};
    unit_count("entered later", "paths", explore(&p, "exitblock:within=f", &later).count.paths, 210); /* C(10, 4) */
    unit_count("both", "paths", explore(&p, "exitblock:within=f,blocks=2", &later).count.paths, 6);
}

int test_thread_limits(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_of_the_limit),
        cmocka_unit_test(the_part_up_to_the_limit),
        cmocka_unit_test(others_wait_for_what_is_beyond),
        cmocka_unit_test(threads_leave_the_code),
    };
    return cmocka_run_group_tests_name("limits of threads", tests, NULL, NULL);
}
