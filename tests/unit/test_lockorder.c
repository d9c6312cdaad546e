/*
 * test_lockorder.c - prediction of deadlocks from an execution without one: lock cycles of any length, and the
 * reasons why a cycle cannot close. On random programs every deadlock by locks is predicted from any execution that
 * ends without a finding.
 */
#include "unit.h"

#include "base/rng.h"
#include "detect/detect.h"
#include "sim_programs.h"

#include <stdlib.h>

enum { A, B, C, GATE };

static bool predicts(const struct sim *s, struct rd_finding *f) {
    size_t size = 1 << 20;
    struct rd_arena arena;
    rd_arena_init(&arena, malloc(size), size);
    bool found = rd_detect_lockorder(&arena, &s->rec, NULL, f);
    free(arena.base);
    return found;
}

/* Whether the execution in which each thread runs to its end predicts a deadlock. */
static bool predicted(const struct sim_program *p, struct rd_finding *f) {
    struct sim *s = sim_open();
    sim_load(s, p, NULL, NULL);
    sim_run(s, &(struct rd_plan){.picker = RD_PICK_STAY});
    assert_int_equal(s->rec.out->verdict, RD_PASSED);
    bool found = predicts(s, f);
    sim_close(s);
    return found;
}

static bool is_predicted(const struct sim_program *p) {
    struct rd_finding f;
    return predicted(p, &f);
}

static void add_nested(struct sim_program *p, uint8_t outer, uint8_t inner) {
    SIM_THREAD(p, do_lock(outer), do_lock(inner), do_unlock(inner), do_unlock(outer));
}

static void opposite_orders(void **state) {
    (void)state;
    struct sim_program p = {.name = "opposite"};
    struct rd_finding f;
    add_nested(&p, A, B);
    add_nested(&p, B, A);
    assert_true(predicted(&p, &f));
    assert_int_equal(f.kind, RD_PREDICTED_DEADLOCK);
    assert_int_equal(f.circle_count, 2);
    assert_int_equal(f.tid, 2);
    assert_int_equal(f.other_tid, 1);
    assert_int_equal(f.step, 6);
    assert_int_equal(f.circle[0], 2);
    assert_int_equal(f.circle[1], 6);
}

static void circles_of_three_and_more(void **state) {
    (void)state;
    for (uint8_t n = 3; n <= 8; n++) {
        struct sim_program p = {.name = "circle"};
        struct rd_finding f;
        for (uint8_t i = 0; i < n; i++)
            add_nested(&p, i, (uint8_t)((i + 1) % n));
        assert_true(predicted(&p, &f));
        assert_int_equal(f.circle_count, n);
        struct sim_program open = {.name = "no circle"};
        for (uint8_t i = 0; i + 1 < n; i++)
            add_nested(&open, i, (uint8_t)(i + 1));
        assert_false(is_predicted(&open));
    }
}

static void one_thread_is_no_circle(void **state) {
    (void)state;
    struct sim_program p = {.name = "one thread"};
    add_nested(&p, A, B);
    SIM_APPEND(&p, do_lock(B), do_lock(A), do_unlock(A), do_unlock(B));
    SIM_THREAD(&p, do_lock(A), do_unlock(A));
    assert_false(is_predicted(&p));
}

static void a_gate_keeps_it_open(void **state) {
    (void)state;
    struct sim_program p = {.name = "gate"};
    SIM_THREAD(&p, do_lock(GATE), do_lock(A), do_lock(B), do_unlock(B), do_unlock(A), do_unlock(GATE));
    SIM_THREAD(&p, do_lock(GATE), do_lock(B), do_lock(A), do_unlock(A), do_unlock(B), do_unlock(GATE));
    assert_false(is_predicted(&p));
    add_nested(&p, B, A); /* a thread that takes the two locks without the gate */
    assert_true(is_predicted(&p));
}

static void ordered_sections_do_not_deadlock(void **state) {
    (void)state;
    struct sim_program joined = {.name = "joined", .main = true};
    SIM_THREAD(&joined, do_spawn(1), do_join(1), do_lock(B), do_lock(A), do_unlock(A), do_unlock(B));
    add_nested(&joined, A, B);
    assert_false(is_predicted(&joined));
    struct sim_program created = {.name = "created", .main = true};
    SIM_THREAD(&created, do_spawn(2), do_lock(B), do_lock(A), do_unlock(A), do_unlock(B), do_spawn(1));
    add_nested(&created, A, B);
    SIM_THREAD(&created, do_yield());
    assert_false(is_predicted(&created));
    struct sim_program post = {.name = "semaphore"};
    SIM_THREAD(&post, do_lock(A), do_lock(B), do_unlock(B), do_unlock(A), do_sem_post(0));
    SIM_THREAD(&post, do_sem_wait(0), do_lock(B), do_lock(A), do_unlock(A), do_unlock(B));
    assert_false(is_predicted(&post));
    /* Both threads take lock C in between, in an order that is an accident of the schedule. */
    struct sim_program lock = {.name = "lock"};
    SIM_THREAD(&lock, do_lock(A), do_lock(B), do_unlock(B), do_unlock(A), do_lock(C), do_unlock(C));
    SIM_THREAD(&lock, do_lock(C), do_unlock(C), do_lock(B), do_lock(A), do_unlock(A), do_unlock(B));
    assert_true(is_predicted(&lock));
}

static void readers_do_not_exclude_each_other(void **state) {
    (void)state;
    struct sim_program p = {.name = "readers"};
    SIM_THREAD(&p, do_rdlock(0, 0), do_lock(A), do_unlock(A), do_rwunlock(0));
    SIM_THREAD(&p, do_lock(A), do_rdlock(0, 0), do_rwunlock(0), do_unlock(A));
    assert_false(is_predicted(&p));
    SIM_THREAD(&p, do_lock(A), do_wrlock(0, 0), do_rwunlock(0), do_unlock(A));
    assert_true(is_predicted(&p));
}

static void a_wait_that_times_out_waits_for_no_thread(void **state) {
    (void)state;
    struct sim_program p = {.name = "try"};
    add_nested(&p, A, B);
    SIM_THREAD(&p, do_lock(B), do_trylock(A, 0), do_unlock(A), do_unlock(B));
    assert_false(is_predicted(&p));
    struct sim_program timed = {.name = "timed"};
    add_nested(&timed, A, B);
    SIM_THREAD(&timed, do_lock(B), do_timedlock(A, 5, 0), do_unlock(A), do_unlock(B));
    assert_false(is_predicted(&timed));
    /* A lock that was taken by a trylock is held like any other. */
    struct sim_program held = {.name = "try, then lock"};
    add_nested(&held, A, B);
    SIM_THREAD(&held, do_trylock(B, 0), do_lock(A), do_unlock(A), do_unlock(B));
    assert_true(is_predicted(&held));
}

/* A queued writer keeps readers out: a reader that locks a second time, and a reader that holds another lock. */
static void a_writer_in_line_is_one_of_a_circle(void **state) {
    (void)state;
    for (int writers_first = 0; writers_first < 2; writers_first++) {
        struct sim_program again = {.name = "reads again"}, beside = {.name = "beside"};
        struct rd_finding f;
        SIM_THREAD(&again, do_rdlock(0, writers_first), do_rdlock(0, writers_first), do_rwunlock(0),
                   do_rwunlock(0));
        assert_false(is_predicted(&again));
        SIM_THREAD(&again, do_wrlock(0, writers_first), do_rwunlock(0));
        assert_int_equal(predicted(&again, &f), writers_first);
        assert_true(!writers_first || f.circle_count == 2);
        SIM_THREAD(&beside, do_rdlock(0, writers_first), do_lock(A), do_unlock(A), do_rwunlock(0));
        SIM_THREAD(&beside, do_lock(A), do_rdlock(0, writers_first), do_rwunlock(0), do_unlock(A));
        assert_false(is_predicted(&beside));
        SIM_THREAD(&beside, do_wrlock(0, writers_first), do_rwunlock(0));
        assert_int_equal(predicted(&beside, &f), writers_first);
        assert_true(!writers_first || f.circle_count == 3);
    }
    struct sim_program gated = {.name = "the writer comes when nobody reads"};
    SIM_THREAD(&gated, do_lock(GATE), do_rdlock(0, 1), do_rdlock(0, 1), do_rwunlock(0), do_rwunlock(0),
               do_unlock(GATE));
    SIM_THREAD(&gated, do_lock(GATE), do_wrlock(0, 1), do_rwunlock(0), do_unlock(GATE));
    assert_false(is_predicted(&gated));
}

static void a_semaphore_can_be_a_lock(void **state) {
    (void)state;
    struct sim_program p = {.name = "two semaphores", .sems = {1, 1}};
    SIM_THREAD(&p, do_sem_wait(0), do_sem_wait(1), do_sem_post(1), do_sem_post(0));
    SIM_THREAD(&p, do_sem_wait(1), do_sem_wait(0), do_sem_post(0), do_sem_post(1));
    assert_true(is_predicted(&p));
    struct sim_program mixed = {.name = "semaphore and mutex", .sems = {1}};
    SIM_THREAD(&mixed, do_sem_wait(0), do_lock(A), do_unlock(A), do_sem_post(0));
    SIM_THREAD(&mixed, do_lock(A), do_sem_wait(0), do_sem_post(0), do_unlock(A));
    assert_true(is_predicted(&mixed));
    /* With a second unit, or when another thread posts, there is no cycle. */
    mixed.sems[0] = 2;
    assert_false(is_predicted(&mixed));
    struct sim_program given = {.name = "given by another", .sems = {1}};
    SIM_THREAD(&given, do_sem_wait(0), do_lock(A), do_unlock(A));
    SIM_THREAD(&given, do_lock(A), do_sem_post(0), do_sem_wait(0), do_unlock(A));
    assert_false(is_predicted(&given));
}

/* ---- beside brute force ---- */

/* Takes a lock of make_random: two mutexes, a semaphore, or a read-write lock that prefers writers. */
static void take(struct sim_program *p, uint8_t lock, bool mixed, bool reads) {
    if (!mixed || lock < 2)
        SIM_APPEND(p, do_lock(lock));
    else if (lock == 2)
        SIM_APPEND(p, do_sem_wait(0));
    else if (reads)
        SIM_APPEND(p, do_rdlock(0, 1));
    else
        SIM_APPEND(p, do_wrlock(0, 1));
}

static void release(struct sim_program *p, uint8_t lock, bool mixed) {
    if (!mixed || lock < 2)
        SIM_APPEND(p, do_unlock(lock));
    else if (lock == 2)
        SIM_APPEND(p, do_sem_post(0));
    else
        SIM_APPEND(p, do_rwunlock(0));
}

/*
 * Creates threads with critical sections, nested up to three deep, of up to four locks that are released in any
 * order.
 */
static void make_random(struct sim_program *p, struct rd_rng *g, bool mixed) {
    p->sems[0] = 1;
    uint32_t threads = 2 + rd_rng_below(g, 2), room = threads == 2 ? 10 : 6;
    for (uint32_t t = 0; t < threads; t++) {
        uint8_t held[3];
        uint32_t count = 0;
        p->threads++;
        for (uint32_t left = room; left > 0; left--) {
            uint8_t lock = (uint8_t)rd_rng_below(g, 4);
            bool has = false;
            for (uint32_t i = 0; i < count; i++)
                has |= held[i] == lock;
            if (count < left && count < 3 && !has && left > count + 1) {
                take(p, lock, mixed, mixed && rd_rng_below(g, 2));
                held[count++] = lock;
            } else if (count) {
                uint32_t i = rd_rng_below(g, count);
                release(p, held[i], mixed);
                held[i] = held[--count];
            }
        }
        while (count)
            release(p, held[--count], mixed);
    }
}

struct checked {
    uint64_t missed, predicted, passed;
    bool deadlock;
};

static void look(void *ctx, const struct sim *s) {
    struct checked *c = ctx;
    struct rd_finding f;
    if (s->rec.out->verdict != RD_PASSED)
        return;
    bool found = predicts(s, &f);
    c->passed++;
    c->predicted += found;
    c->missed += c->deadlock && !found;
}

static void every_deadlock_by_locks_is_predicted(void **state) {
    (void)state;
    struct rd_rng g;
    uint32_t deadlocks = 0, predictions = 0;
    rd_rng_seed(&g, 1);
    for (uint32_t i = 0; i < 200; i++) {
        if (!unit_takes(i, 5))
            continue;
        struct sim_program p = {.name = "random"};
        struct sim_result r;
        struct checked c = {0};
        make_random(&p, &g, i >= 150);
        sim_explore(&p, "dpor", NULL, &r);
        assert_true(r.complete);
        c.deadlock = r.deadlocks > 0;
        struct sim_options o = {.seen = look, .ctx = &c};
        sim_explore(&p, "dpor", &o, &r);
        assert_int_equal(c.missed, 0);
        /* either every execution that passes predicts the deadlock, or none does */
        assert_true(c.predicted == 0 || c.predicted == c.passed);
        deadlocks += c.deadlock;
        predictions += c.predicted > 0;
    }
    assert_true(deadlocks > 20);
    assert_true(predictions >= deadlocks && predictions < 200);
}

int test_lockorder(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(opposite_orders),
        cmocka_unit_test(circles_of_three_and_more),
        cmocka_unit_test(one_thread_is_no_circle),
        cmocka_unit_test(a_gate_keeps_it_open),
        cmocka_unit_test(ordered_sections_do_not_deadlock),
        cmocka_unit_test(readers_do_not_exclude_each_other),
        cmocka_unit_test(a_wait_that_times_out_waits_for_no_thread),
        cmocka_unit_test(a_writer_in_line_is_one_of_a_circle),
        cmocka_unit_test(a_semaphore_can_be_a_lock),
        cmocka_unit_test(every_deadlock_by_locks_is_predicted),
    };
    return cmocka_run_group_tests_name("order of locks", tests, NULL, NULL);
}
