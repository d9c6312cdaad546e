/*
 * test_lockset.c - the locking discipline on single executions of simulated programs: accesses that break it, and
 * all the ways to hand memory over that do not.
 */
#include "unit.h"

#include "detect/detect.h"
#include "sim_programs.h"

#include <stdlib.h>

enum { A, B, X = 0, Y, FLAG };

static int one(int old, const int *r) { return 1 + 0 * old + 0 * r[0]; }
static int is_set(const int *r) { return r[0] != 0; }

/* Whether the execution by these threads, then by the default picker, breaks the discipline. */
static bool breaks(const struct sim_program *p, const rd_tid *tids, uint32_t count, struct rd_finding *f) {
    struct sim *s = sim_open();
    sim_load(s, p, NULL, NULL);
    sim_run_threads(s, tids, count);
    assert_int_equal(s->rec.out->verdict, RD_PASSED);
    size_t size = 1 << 20;
    struct rd_arena arena;
    rd_arena_init(&arena, malloc(size), size);
    bool found = rd_detect_lockset(&arena, &s->rec, NULL, f);
    free(arena.base);
    sim_close(s);
    return found;
}

static bool broken(const struct sim_program *p) {
    struct rd_finding f;
    return breaks(p, NULL, 0, &f);
}

static void a_common_lock_is_enough(void **state) {
    (void)state;
    struct sim_program p = {.name = "common lock"};
    SIM_THREAD(&p, do_lock(A), do_lock(B), do_write(X, 1), do_unlock(B), do_unlock(A));
    SIM_THREAD(&p, do_lock(A), do_write(X, 2), do_unlock(A));
    assert_false(broken(&p));
}

static void different_locks_are_none(void **state) {
    (void)state;
    struct sim_program p = {.name = "different locks"};
    struct rd_finding f;
    SIM_THREAD(&p, do_lock(A), do_write(X, 1), do_unlock(A));
    SIM_THREAD(&p, do_lock(B), do_write(X, 2), do_unlock(B));
    assert_true(breaks(&p, NULL, 0, &f));
    assert_int_equal(f.kind, RD_LOCK_DISCIPLINE);
    assert_int_equal(f.tid, 2);
    assert_int_equal(f.other_tid, 1);
    assert_string_equal(f.message, "written without a lock that all uses of this memory hold");
}

/*
 * Each pair of accesses has a lock in common, but all four have none; the first access comes before the memory is
 * shared.
 */
static void locks_in_common_get_fewer(void **state) {
    (void)state;
    struct sim_program p = {.name = "three locks"};
    SIM_THREAD(&p, do_lock(A), do_lock(B), do_write(X, 1), do_unlock(B), do_unlock(A));
    SIM_THREAD(&p, do_lock(A), do_lock(2), do_write(X, 2), do_unlock(2), do_unlock(A));
    SIM_THREAD(&p, do_lock(B), do_lock(2), do_write(X, 3), do_unlock(2), do_unlock(B));
    assert_false(broken(&p));
    SIM_THREAD(&p, do_lock(A), do_lock(B), do_write(X, 4), do_unlock(B), do_unlock(A));
    assert_true(broken(&p));
}

static void reads_alone_need_none(void **state) {
    (void)state;
    struct sim_program p = {.name = "readers"};
    for (int i = 0; i < 3; i++)
        SIM_THREAD(&p, do_read(X, 0));
    assert_false(broken(&p));
    SIM_THREAD(&p, do_write(X, 1));
    assert_true(broken(&p));
}

/* The finding blames the access without a lock, whichever access comes second. */
static void the_bare_use_is_to_blame(void **state) {
    (void)state;
    struct sim_program p = {.name = "bare"};
    struct rd_finding f;
    SIM_THREAD(&p, do_write(X, 1));
    SIM_THREAD(&p, do_lock(A), do_write(X, 2), do_unlock(A));
    assert_true(breaks(&p, NULL, 0, &f));
    assert_int_equal(f.tid, 1);
    static const rd_tid other_first[] = {2, 2, 2, 1};
    assert_true(breaks(&p, other_first, 4, &f));
    assert_int_equal(f.tid, 1);
}

/* A thread that reads a variable after writing it remains a writer of the variable. */
static void a_write_outlives_reads_of_its_own(void **state) {
    (void)state;
    struct sim_program p = {.name = "written, read, read elsewhere"};
    struct rd_finding f;
    SIM_THREAD(&p, do_lock(A), do_write(X, 1), do_read(X, 0), do_unlock(A));
    SIM_THREAD(&p, do_read(X, 0));
    assert_true(breaks(&p, NULL, 0, &f));
    assert_int_equal(f.tid, 2);
    struct sim_program q = {.name = "the same, handed over"};
    SIM_THREAD(&q, do_write(X, 1), do_read(X, 0), do_sem_post(0), do_read(X, 0));
    SIM_THREAD(&q, do_sem_wait(0), do_read(X, 0), do_read(X, 0));
    assert_false(broken(&q));
}

static void a_read_lock_protects_reads(void **state) {
    (void)state;
    struct sim_program p = {.name = "read lock"};
    SIM_THREAD(&p, do_rdlock(0, 0), do_read(X, 0), do_rwunlock(0));
    SIM_THREAD(&p, do_wrlock(0, 0), do_write(X, 1), do_rwunlock(0));
    assert_false(broken(&p));
    SIM_THREAD(&p, do_rdlock(0, 0), do_write(X, 2), do_rwunlock(0));
    assert_true(broken(&p));
}

static void creation_and_join_hand_over(void **state) {
    (void)state;
    struct sim_program p = {.name = "create, join", .main = true};
    SIM_THREAD(&p, do_write(X, 1), do_spawn(1), do_join(1), do_write(X, 3));
    SIM_THREAD(&p, do_write(X, 2));
    assert_false(broken(&p));
    struct sim_program q = {.name = "create, too early", .main = true};
    SIM_THREAD(&q, do_spawn(1), do_write(X, 1), do_join(1));
    SIM_THREAD(&q, do_write(X, 2));
    assert_true(broken(&q));
}

static void semaphores_barriers_conditions_and_atomics_hand_over(void **state) {
    (void)state;
    struct sim_program sem = {.name = "semaphore"};
    SIM_THREAD(&sem, do_write(X, 1), do_sem_post(0));
    SIM_THREAD(&sem, do_sem_wait(0), do_write(X, 2));
    assert_false(broken(&sem));
    struct sim_program barrier = {.name = "barrier"};
    SIM_THREAD(&barrier, do_write(X, 1), do_barrier(0, 2, 0), do_write(Y, 1));
    SIM_THREAD(&barrier, do_write(Y, 2), do_barrier(0, 2, 0), do_write(X, 2));
    assert_false(broken(&barrier));
    struct sim_program atomic = {.name = "atomic"};
    SIM_THREAD(&atomic, do_write(X, 1), do_rmw(FLAG, one, -1));
    SIM_THREAD(&atomic, do_rmw(FLAG, one, 0), do_if_zero(is_set, 0), do_write(X, 2), do_label(0));
    assert_false(broken(&atomic));
    struct sim_program cond = {.name = "condition"};
    SIM_THREAD(&cond, do_lock(A), do_wait(0, A), do_unlock(A), do_write(X, 2));
    SIM_THREAD(&cond, do_write(X, 1), do_lock(A), do_signal(0), do_unlock(A));
    static const rd_tid waiter_first[] = {1, 1};
    struct rd_finding f;
    assert_false(breaks(&cond, waiter_first, 2, &f));
}

/* Memory is initialised without a lock, then shared under a lock. */
static void publication_under_a_lock(void **state) {
    (void)state;
    struct sim_program p = {.name = "publication"};
    struct rd_finding f;
    SIM_THREAD(&p, do_write(X, 1), do_lock(A), do_write(Y, 1), do_unlock(A));
    SIM_THREAD(&p, do_lock(A), do_read(Y, 0), do_if_zero(is_set, 0), do_read(X, 1), do_label(0), do_unlock(A));
    assert_false(broken(&p));
    static const rd_tid reader_first[] = {2, 2, 2};
    assert_false(breaks(&p, reader_first, 3, &f));
}

int test_lockset(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_common_lock_is_enough),
        cmocka_unit_test(different_locks_are_none),
        cmocka_unit_test(locks_in_common_get_fewer),
        cmocka_unit_test(reads_alone_need_none),
        cmocka_unit_test(the_bare_use_is_to_blame),
        cmocka_unit_test(a_write_outlives_reads_of_its_own),
        cmocka_unit_test(a_read_lock_protects_reads),
        cmocka_unit_test(creation_and_join_hand_over),
        cmocka_unit_test(semaphores_barriers_conditions_and_atomics_hand_over),
        cmocka_unit_test(publication_under_a_lock),
    };
    return cmocka_run_group_tests_name("locking discipline", tests, NULL, NULL);
}
