/* test_thread_mutex.c - the models of threads (numbers, join, detach) and of mutexes (every type). */
#include "unit.h"

#include "unit_world.h"

#include <errno.h>

static struct unit_world u;
static const struct rd_op create = {.kind = RD_OP_CREATE};

static struct rd_op join(uint64_t t) { return (struct rd_op){.kind = RD_OP_JOIN, .arg = t}; }
static struct rd_op detach(uint64_t t) { return (struct rd_op){.kind = RD_OP_DETACH, .arg = t}; }

/* Threads 1..n, all created by main. */
static struct rd_world *with_threads(uint32_t n) {
    struct rd_world *w = unit_world_new(&u);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(unit_do(w, 0, create).value, i + 1);
    return w;
}

static void thread_numbers_are_those_of_the_tree(void **state) {
    (void)state;
    struct rd_world *w = unit_world_new(&u);
    assert_int_equal(unit_do(w, 0, create).value, 1);
    assert_int_equal(unit_do(w, 0, create).value, 2);
    assert_int_equal(unit_do(w, 1, create).value, 3);
    assert_int_equal(unit_do(w, 2, create).value, 4);
    assert_int_equal(w->threads[4].parent, 2);
    assert_int_equal(w->threads[4].ordinal, 1);
    assert_int_equal(w->threads[2].ordinal, 2);
    assert_int_equal(w->count, 5);
    assert_int_equal(w->alive_max, 5);

    /*
     * Another execution, in another order: the threads keep their numbers, and a thread that was not seen before
     * gets a new one.
     */
    unit_world_again(&u);
    unit_do(w, 0, create);
    unit_do(w, 0, create);
    assert_int_equal(unit_do(w, 2, create).value, 4);
    assert_int_equal(w->threads[3].state, RD_T_UNUSED);
    assert_int_equal(w->alive, 4);
    assert_int_equal(w->count, 5);
    assert_int_equal(unit_do(w, 2, create).value, 5);
    assert_int_equal(unit_do(w, 1, create).value, 3);
}

static void thread_numbers_run_out(void **state) {
    (void)state;
    struct rd_world *w = with_threads(RD_TID_MAX - 1);
    struct rd_result r = unit_do(w, 0, create);
    assert_int_equal(r.error, EAGAIN);
    assert_int_equal(w->alive, RD_TID_MAX);
    assert_int_equal(unit_do(w, 1, create).error, EAGAIN);
}

static void join_waits_for_the_end(void **state) {
    (void)state;
    struct rd_world *w = with_threads(2);
    assert_false(unit_can(w, 0, join(1)));
    rd_thread_finish(w, 1);
    assert_int_equal(w->alive, 2);
    assert_true(unit_can(w, 0, join(1)));
    struct rd_result r = unit_do(w, 0, join(1));
    assert_int_equal(r.error, 0);
    assert_int_equal(r.value, 1);
    assert_int_equal(unit_do(w, 0, join(1)).error, EINVAL); /* the thread is joined already */
}

static void join_returns_the_errors_of_posix(void **state) {
    (void)state;
    struct rd_world *w = with_threads(3);
    assert_int_equal(unit_do(w, 0, join(9)).error, ESRCH);
    assert_int_equal(unit_do(w, 0, join(UINT64_MAX)).error, ESRCH);
    assert_int_equal(unit_do(w, 2, join(2)).error, EDEADLK);
    assert_int_equal(unit_do(w, 0, detach(3)).error, 0);
    assert_int_equal(unit_do(w, 0, join(3)).error, EINVAL);
    assert_int_equal(unit_do(w, 0, detach(3)).error, EINVAL);
    assert_int_equal(unit_do(w, 0, detach(9)).error, ESRCH);
    struct rd_op detached = create;
    detached.arg = 1;
    uint64_t t = unit_do(w, 0, detached).value;
    assert_int_equal(unit_do(w, 1, join(t)).error, EINVAL);
}

static void join_of_each_other_is_refused_once(void **state) {
    (void)state;
    struct rd_world *w = with_threads(2);
    assert_false(unit_can(w, 1, join(2)));
    assert_int_equal(unit_do(w, 2, join(1)).error, EDEADLK);
    rd_thread_finish(w, 2); /* the refused thread continues and ends, which enables the other's join */
    assert_int_equal(unit_do(w, 1, join(2)).error, 0);
}

static struct rd_op on(unsigned kind, uint64_t mutex, enum rd_mutex_type type) {
    return (struct rd_op){.kind = (uint8_t)kind, .addr = mutex, .arg = type, .pc = 0x77};
}
#define LOCK(m, type) on(RD_OP_MUTEX_LOCK, m, type)
#define TRYLOCK(m, type) on(RD_OP_MUTEX_TRYLOCK, m, type)
#define UNLOCK(m, type) on(RD_OP_MUTEX_UNLOCK, m, type)
enum { M = 0x1000, OTHER = 0x2000 };

static void mutex_normal(void **state) {
    (void)state;
    struct rd_world *w = with_threads(2);
    w->step = 5;
    assert_int_equal(unit_do(w, 1, LOCK(M, RD_MUTEX_NORMAL)).error, 0);
    struct rd_op again = LOCK(M, RD_MUTEX_NORMAL);
    assert_false(unit_can(w, 2, again));
    assert_false(unit_can(w, 1, again)); /* the owner itself blocks for ever */
    assert_true(unit_can(w, 2, LOCK(OTHER, RD_MUTEX_NORMAL)));
    const struct rd_mutex *held = rd_models[RD_OP_MUTEX_LOCK].waits_for(w, 1, &again);
    assert_int_equal(held->owner, 1);
    assert_int_equal(held->taken_at, 5);
    assert_int_equal(held->taken_pc, 0x77);
    assert_int_equal(unit_do(w, 1, UNLOCK(M, RD_MUTEX_NORMAL)).error, 0);
    assert_null(rd_models[RD_OP_MUTEX_LOCK].waits_for(w, 1, &again));
    assert_true(unit_can(w, 2, again));
    assert_int_equal(unit_do(w, 2, again).error, 0);
    /* Undefined behaviour: a finding with the place of the owner's lock. */
    struct rd_result r = unit_do(w, 1, UNLOCK(M, RD_MUTEX_NORMAL));
    assert_non_null(r.misuse);
    assert_int_equal(r.misuse_tid, 2);
    assert_int_equal(r.misuse_pc, 0x77);
    assert_null(unit_do(w, 2, UNLOCK(M, RD_MUTEX_NORMAL)).misuse);
    r = unit_do(w, 1, UNLOCK(M, RD_MUTEX_NORMAL));
    assert_non_null(r.misuse);
    assert_int_equal(r.misuse_tid, RD_TID_NONE);
    assert_true(unit_can(w, 1, again));
}

static void mutex_recursive(void **state) {
    (void)state;
    struct rd_world *w = with_threads(2);
    assert_int_equal(unit_do(w, 1, LOCK(M, RD_MUTEX_RECURSIVE)).error, 0);
    assert_int_equal(unit_do(w, 1, LOCK(M, RD_MUTEX_RECURSIVE)).error, 0);
    assert_int_equal(unit_do(w, 1, TRYLOCK(M, RD_MUTEX_RECURSIVE)).error, 0);
    assert_int_equal(unit_do(w, 2, TRYLOCK(M, RD_MUTEX_RECURSIVE)).error, EBUSY);
    assert_int_equal(unit_do(w, 2, UNLOCK(M, RD_MUTEX_RECURSIVE)).error, EPERM);
    for (int i = 0; i < 3; i++) {
        assert_false(unit_can(w, 2, LOCK(M, RD_MUTEX_RECURSIVE)));
        assert_int_equal(unit_do(w, 1, UNLOCK(M, RD_MUTEX_RECURSIVE)).error, 0);
    }
    assert_int_equal(unit_do(w, 1, UNLOCK(M, RD_MUTEX_RECURSIVE)).error, EPERM);
    assert_int_equal(unit_do(w, 2, LOCK(M, RD_MUTEX_RECURSIVE)).error, 0);
}

static void mutex_errorcheck(void **state) {
    (void)state;
    struct rd_world *w = with_threads(2);
    assert_int_equal(unit_do(w, 1, UNLOCK(M, RD_MUTEX_ERRORCHECK)).error, EPERM);
    assert_int_equal(unit_do(w, 1, LOCK(M, RD_MUTEX_ERRORCHECK)).error, 0);
    assert_int_equal(unit_do(w, 1, LOCK(M, RD_MUTEX_ERRORCHECK)).error, EDEADLK);
    assert_int_equal(unit_do(w, 1, TRYLOCK(M, RD_MUTEX_ERRORCHECK)).error, EBUSY);
    assert_false(unit_can(w, 2, LOCK(M, RD_MUTEX_ERRORCHECK)));
    assert_int_equal(unit_do(w, 2, UNLOCK(M, RD_MUTEX_ERRORCHECK)).error, EPERM);
    /* one unlock is enough: the refused lock was not taken */
    assert_int_equal(unit_do(w, 1, UNLOCK(M, RD_MUTEX_ERRORCHECK)).error, 0);
    assert_true(unit_can(w, 2, LOCK(M, RD_MUTEX_ERRORCHECK)));
}

static void mutex_trylock_never_blocks(void **state) {
    (void)state;
    struct rd_world *w = with_threads(2);
    assert_int_equal(unit_do(w, 1, TRYLOCK(M, RD_MUTEX_NORMAL)).error, 0);
    assert_true(unit_can(w, 2, TRYLOCK(M, RD_MUTEX_NORMAL)));
    assert_int_equal(unit_do(w, 2, TRYLOCK(M, RD_MUTEX_NORMAL)).error, EBUSY);
    assert_int_equal(unit_do(w, 1, TRYLOCK(M, RD_MUTEX_NORMAL)).error, EBUSY); /* also for the owner */
    unit_do(w, 1, UNLOCK(M, RD_MUTEX_NORMAL));
    assert_int_equal(unit_do(w, 2, TRYLOCK(M, RD_MUTEX_NORMAL)).error, 0);
}

static void mutex_init_and_destroy_forget(void **state) {
    (void)state;
    struct rd_world *w = with_threads(2);
    unit_do(w, 1, LOCK(M, RD_MUTEX_NORMAL));
    unit_do(w, 1, on(RD_OP_MUTEX_INIT, M, RD_MUTEX_NORMAL));
    assert_true(unit_can(w, 2, LOCK(M, RD_MUTEX_NORMAL)));
    unit_do(w, 2, LOCK(M, RD_MUTEX_NORMAL));
    unit_do(w, 2, on(RD_OP_MUTEX_DESTROY, M, RD_MUTEX_NORMAL));
    unit_do(w, 2, on(RD_OP_MUTEX_DESTROY, OTHER, RD_MUTEX_NORMAL)); /* never used: the model has no state of it */
    assert_true(unit_can(w, 1, LOCK(M, RD_MUTEX_NORMAL)));
}

static void finished_and_unused_threads_are_not_enabled(void **state) {
    (void)state;
    struct rd_world *w = with_threads(1);
    assert_true(unit_can(w, 1, (struct rd_op){.kind = RD_OP_READ}));
    rd_thread_finish(w, 1);
    assert_false(rd_model_enabled(w, 1));
    assert_false(rd_model_enabled(w, 7));
}

static struct rd_op lock_at(uint64_t addr) { return (struct rd_op){.kind = RD_OP_MUTEX_LOCK, .addr = addr}; }

/*
 * Freed memory takes its locks along, except one that a thread waits for; with a block smaller and one larger than
 * the table.
 */
static void locks_vanish_with_their_memory(void **state) {
    (void)state;
    enum { AT = 0x10000, SMALL = 64, LARGE = 1 << 20 };
    for (uint64_t size = SMALL; size <= LARGE; size *= LARGE / SMALL) {
        struct rd_world *w = with_threads(2);
        uint32_t from = 0;
        unit_do(w, 1, lock_at(AT + 8));
        unit_do(w, 1, lock_at(AT + 24));
        unit_do(w, 1, lock_at(AT - 8));
        unit_do(w, 1, lock_at(AT + size));
        assert_false(unit_can(w, 2, lock_at(AT + 24))); /* thread 2 waits, so this lock stays */
        rd_world_vanish(w, AT, size);
        assert_true(unit_can(w, 0, lock_at(AT + 8)));
        assert_false(unit_can(w, 0, lock_at(AT + 24)));
        assert_false(unit_can(w, 0, lock_at(AT - 8)));
        assert_false(unit_can(w, 0, lock_at(AT + size)));
        for (uint32_t left = 3; left > 0; left--)
            assert_non_null(rd_thread_holds(w, 1, &from));
        assert_null(rd_thread_holds(w, 1, &from));
    }
}

int test_thread_mutex(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(locks_vanish_with_their_memory),
        cmocka_unit_test(thread_numbers_are_those_of_the_tree),
        cmocka_unit_test(thread_numbers_run_out),
        cmocka_unit_test(join_waits_for_the_end),
        cmocka_unit_test(join_returns_the_errors_of_posix),
        cmocka_unit_test(join_of_each_other_is_refused_once),
        cmocka_unit_test(mutex_normal),
        cmocka_unit_test(mutex_recursive),
        cmocka_unit_test(mutex_errorcheck),
        cmocka_unit_test(mutex_trylock_never_blocks),
        cmocka_unit_test(mutex_init_and_destroy_forget),
        cmocka_unit_test(finished_and_unused_threads_are_not_enabled),
    };
    return cmocka_run_group_tests_name("threads and mutexes", tests, NULL, NULL);
}
