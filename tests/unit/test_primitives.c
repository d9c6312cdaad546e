/* test_primitives.c - the models of read-write locks, semaphores, barriers, once, spin locks and try-join. */
#include "unit.h"

#include "unit_world.h"

#include <errno.h>
#include <limits.h>

static struct unit_world u;
enum { L = 0x1000, OTHER = 0x2000 };

static struct rd_op on(unsigned kind, uint64_t arg) {
    return (struct rd_op){.kind = (uint8_t)kind, .addr = L, .arg = arg, .pc = 0x77};
}

/* Threads 1..n, all created by main. */
static struct rd_world *with_threads(uint32_t n) {
    struct rd_world *w = unit_world_new(&u);
    for (uint32_t i = 0; i < n; i++)
        unit_do(w, 0, (struct rd_op){.kind = RD_OP_CREATE});
    return w;
}

static const struct rd_mutex *holder(struct rd_world *w, rd_tid tid, struct rd_op op) {
    return rd_models[op.kind].waits_for(w, tid, &op);
}

/* The argument: whether the lock prefers writers. */
#define RDLOCK(p) on(RD_OP_RWLOCK_RDLOCK, p)
#define TRYRDLOCK(p) on(RD_OP_RWLOCK_TRYRDLOCK, p)
#define QUEUE on(RD_OP_RWLOCK_QUEUE, 1)
#define WRLOCK(p) on(RD_OP_RWLOCK_WRLOCK, p)
#define TRYWRLOCK(p) on(RD_OP_RWLOCK_TRYWRLOCK, p)
#define RWUNLOCK(p) on(RD_OP_RWLOCK_UNLOCK, p)

static void rwlock_is_for_many_readers_or_one_writer(void **state) {
    (void)state;
    for (uint64_t p = 0; p < 2; p++) {
        struct rd_world *w = with_threads(3);
        assert_int_equal(unit_do(w, 1, RDLOCK(p)).error, 0);
        assert_int_equal(unit_do(w, 2, RDLOCK(p)).error, 0);
        /* a reader may lock again: three read locks in all */
        assert_int_equal(unit_do(w, 2, TRYRDLOCK(p)).error, 0);
        for (int i = 0; i < 3; i++) {
            assert_false(unit_can(w, 3, WRLOCK(p)));
            assert_int_equal(unit_do(w, 3, TRYWRLOCK(p)).error, EBUSY);
            assert_int_equal(unit_do(w, i < 2 ? 2 : 1, RWUNLOCK(p)).error, 0);
        }
        assert_int_equal(unit_do(w, 3, TRYWRLOCK(p)).error, 0);
        assert_false(unit_can(w, 1, RDLOCK(p)));
        assert_false(unit_can(w, 1, WRLOCK(p)));
        assert_int_equal(unit_do(w, 1, TRYRDLOCK(p)).error, EBUSY);
        assert_int_equal(unit_do(w, 1, TRYWRLOCK(p)).error, EBUSY);
        struct rd_op elsewhere = WRLOCK(0);
        elsewhere.addr = OTHER;
        assert_true(unit_can(w, 1, elsewhere));
        assert_int_equal(unit_do(w, 3, RWUNLOCK(p)).error, 0);
        assert_true(unit_can(w, 1, RDLOCK(p)));
        assert_true(unit_can(w, 2, WRLOCK(p)));
    }
}

static void rwlock_tells_the_writer_that_asks_again(void **state) {
    (void)state;
    struct rd_world *w = with_threads(2);
    assert_int_equal(unit_do(w, 1, WRLOCK(0)).error, 0);
    assert_int_equal(unit_do(w, 1, RDLOCK(0)).error, EDEADLK);
    assert_int_equal(unit_do(w, 1, WRLOCK(0)).error, EDEADLK);
    assert_int_equal(unit_do(w, 1, TRYRDLOCK(0)).error, EBUSY);
    assert_int_equal(unit_do(w, 1, TRYWRLOCK(0)).error, EBUSY);
    unit_do(w, 1, RWUNLOCK(0)); /* one unlock is enough: the refused locks were not taken */
    assert_true(unit_can(w, 2, WRLOCK(0)));

    /* A relocking writer queues first, and must not stay in the queue. */
    unit_do(w, 1, QUEUE);
    assert_int_equal(unit_do(w, 1, WRLOCK(1)).error, 0);
    unit_do(w, 1, QUEUE);
    assert_int_equal(unit_do(w, 1, WRLOCK(1)).error, EDEADLK);
    unit_do(w, 1, RWUNLOCK(1));
    assert_true(unit_can(w, 2, RDLOCK(1)));
}

static void rwlock_reader_that_wants_to_write_blocks(void **state) {
    (void)state;
    struct rd_world *w = with_threads(1);
    w->step = 5;
    unit_do(w, 1, RDLOCK(0));
    assert_false(unit_can(w, 1, WRLOCK(0)));
    assert_int_equal(unit_do(w, 1, TRYWRLOCK(0)).error, EBUSY);
    assert_int_equal(holder(w, 1, WRLOCK(0))->owner, 1); /* the thread itself */
    assert_int_equal(holder(w, 1, WRLOCK(0))->taken_at, 5);
}

static void rwlock_queued_writers_keep_readers_out(void **state) {
    (void)state;
    struct rd_world *w = with_threads(4);
    unit_do(w, 1, RDLOCK(1));
    assert_true(unit_can(w, 2, RDLOCK(1)));
    unit_do(w, 3, QUEUE);
    unit_do(w, 4, QUEUE);
    assert_false(unit_can(w, 2, RDLOCK(1)));
    /* not even a thread that has a read lock already, as with glibc's "nonrecursive" kind */
    assert_false(unit_can(w, 1, RDLOCK(1)));
    assert_int_equal(unit_do(w, 2, TRYRDLOCK(1)).error, EBUSY);
    assert_false(unit_can(w, 3, WRLOCK(1)));
    /* thread 4 keeps the reader out, and waits for a reader itself */
    assert_int_equal(holder(w, 2, RDLOCK(1))->owner, 4);
    assert_int_equal(holder(w, 4, WRLOCK(1))->owner, 1);
    unit_do(w, 1, RWUNLOCK(1));
    assert_false(unit_can(w, 2, RDLOCK(1)));
    assert_true(unit_can(w, 3, WRLOCK(1)));
    unit_do(w, 4, WRLOCK(1)); /* either queued writer may come first */
    unit_do(w, 4, RWUNLOCK(1));
    assert_false(unit_can(w, 2, RDLOCK(1)));
    unit_do(w, 3, WRLOCK(1));
    unit_do(w, 3, RWUNLOCK(1));
    assert_true(unit_can(w, 2, RDLOCK(1)));
}

static void rwlock_names_its_holder(void **state) {
    (void)state;
    struct rd_world *w = with_threads(3);
    assert_null(holder(w, 1, RDLOCK(0)));
    w->step = 3;
    unit_do(w, 1, RDLOCK(0));
    w->step = 4;
    unit_do(w, 2, RDLOCK(0));
    const struct rd_mutex *held = holder(w, 3, WRLOCK(0));
    assert_int_equal(held->owner, 2); /* the last reader that came */
    assert_int_equal(held->taken_at, 4);
    assert_int_equal(held->taken_pc, 0x77);
    unit_do(w, 1, RWUNLOCK(0));
    assert_int_equal(holder(w, 3, WRLOCK(0))->owner, 2);
    unit_do(w, 2, RWUNLOCK(0));
    assert_null(holder(w, 3, WRLOCK(0)));
    w->step = 9;
    unit_do(w, 3, WRLOCK(0));
    for (unsigned kind = 0; kind < 2; kind++) {
        held = holder(w, 1, kind ? WRLOCK(0) : RDLOCK(0));
        assert_int_equal(held->owner, 3);
        assert_int_equal(held->taken_at, 9);
    }
    unit_do(w, 3, RWUNLOCK(0));
    assert_null(holder(w, 1, WRLOCK(0)));
}

static void rwlock_bad_unlocks_have_no_effect(void **state) {
    (void)state;
    struct rd_world *w = with_threads(2);
    unit_do(w, 1, RWUNLOCK(0));
    unit_do(w, 1, WRLOCK(0));
    unit_do(w, 2, RWUNLOCK(0));
    assert_false(unit_can(w, 2, RDLOCK(0)));
    unit_do(w, 1, RWUNLOCK(0));
    unit_do(w, 1, RWUNLOCK(0));
    unit_do(w, 2, RDLOCK(0));
    assert_false(unit_can(w, 1, WRLOCK(0)));
    unit_do(w, 2, RWUNLOCK(0));
    assert_true(unit_can(w, 1, WRLOCK(0)));
}

/* The argument: the semaphore's value in memory, used when the model sees the semaphore for the first time. */
#define SEM_WAIT(v) on(RD_OP_SEM_WAIT, v)
#define SEM_TRYWAIT(v) on(RD_OP_SEM_TRYWAIT, v)
#define SEM_POST(v) on(RD_OP_SEM_POST, v)
#define SEM_VALUE(v) on(RD_OP_SEM_VALUE, v)

static void sem_counts(void **state) {
    (void)state;
    struct rd_world *w = with_threads(2);
    assert_int_equal(unit_do(w, 1, SEM_WAIT(2)).error, 0);
    assert_int_equal(unit_do(w, 2, SEM_VALUE(2)).value, 1);
    assert_int_equal(unit_do(w, 2, SEM_TRYWAIT(2)).error, 0);
    assert_int_equal(unit_do(w, 2, SEM_TRYWAIT(2)).error, EAGAIN);
    assert_false(unit_can(w, 1, SEM_WAIT(2)));
    assert_int_equal(unit_do(w, 2, SEM_VALUE(2)).value, 0);
    assert_int_equal(unit_do(w, 2, SEM_POST(2)).error, 0); /* a thread that has not waited may post */
    assert_int_equal(unit_do(w, 2, SEM_POST(2)).error, 0);
    assert_int_equal(unit_do(w, 1, SEM_VALUE(2)).value, 2);
    unit_do(w, 1, SEM_WAIT(2));
    assert_true(unit_can(w, 1, SEM_WAIT(2)));
    struct rd_op elsewhere = SEM_WAIT(0);
    elsewhere.addr = OTHER;
    assert_false(unit_can(w, 1, elsewhere));
}

/* The first operation on a semaphore takes over the value in the program's memory; later operations ignore it. */
static void sem_begins_with_the_programs_value(void **state) {
    (void)state;
    static const uint8_t kinds[] = {RD_OP_SEM_WAIT, RD_OP_SEM_TRYWAIT, RD_OP_SEM_POST, RD_OP_SEM_VALUE};
    static const uint64_t left[] = {6, 6, 8, 7};
    for (size_t i = 0; i < RD_COUNT(kinds); i++) {
        struct rd_world *w = with_threads(1);
        assert_false(unit_can(w, 1, SEM_WAIT(0)));
        assert_true(unit_can(w, 1, SEM_WAIT(1)));
        unit_do(w, 1, on(kinds[i], 7));
        assert_int_equal(unit_do(w, 1, SEM_VALUE(99)).value, left[i]);
        unit_do(w, 1, on(RD_OP_OBJECT_INIT, 0)); /* a new semaphore: its value is taken over again */
        assert_int_equal(unit_do(w, 1, SEM_TRYWAIT(0)).error, EAGAIN);
        assert_int_equal(unit_do(w, 1, SEM_VALUE(99)).value, 0);
    }
}

static void sem_overflow(void **state) {
    (void)state;
    struct rd_world *w = with_threads(1);
    assert_int_equal(unit_do(w, 1, SEM_POST(INT_MAX - 1)).error, 0);
    assert_int_equal(unit_do(w, 1, SEM_POST(0)).error, EOVERFLOW);
    assert_int_equal(unit_do(w, 1, SEM_VALUE(0)).value, INT_MAX);
}

#define ARRIVE(n) on(RD_OP_BARRIER_ARRIVE, n)
#define LEAVE on(RD_OP_BARRIER_LEAVE, 0)

static void barrier_opens_with_the_last(void **state) {
    (void)state;
    struct rd_world *w = with_threads(3);
    for (int round = 0; round < 3; round++) {
        rd_tid last = (rd_tid)(1 + round), a = (rd_tid)(1 + (round + 1) % 3), b = (rd_tid)(1 + (round + 2) % 3);
        assert_int_equal(unit_do(w, a, ARRIVE(3)).value, 0);
        assert_false(unit_can(w, a, LEAVE));
        assert_int_equal(unit_do(w, b, ARRIVE(3)).value, 0);
        assert_false(unit_can(w, a, LEAVE));
        assert_int_equal(unit_do(w, last, ARRIVE(3)).value, 1); /* the serial thread, which does not wait */
        unit_do(w, b, LEAVE);
        unit_do(w, a, LEAVE);
    }
    assert_int_equal(unit_do(w, 1, ARRIVE(1)).value, 1); /* a single thread is the last at once */
}

/* A thread that has yet to leave a round does not count in the next one, and is not delayed by it. */
static void barrier_rounds_do_not_mix(void **state) {
    (void)state;
    struct rd_world *w = with_threads(4);
    unit_do(w, 1, ARRIVE(2));
    assert_int_equal(unit_do(w, 2, ARRIVE(2)).value, 1);
    assert_int_equal(unit_do(w, 3, ARRIVE(2)).value, 0); /* the next round, before thread 1 has left the first */
    assert_true(unit_can(w, 1, LEAVE));
    assert_false(unit_can(w, 3, LEAVE));
    /* a thread of the first round may take part in this one, too */
    assert_int_equal(unit_do(w, 2, ARRIVE(2)).value, 1);
    assert_int_equal(unit_do(w, 4, ARRIVE(2)).value, 0);
    assert_true(unit_can(w, 1, LEAVE));
    assert_true(unit_can(w, 3, LEAVE));
    assert_false(unit_can(w, 4, LEAVE));
}

/*
 * The serial thread may destroy the barrier at once, and the memory may become a barrier again before the others
 * have left.
 */
static void barrier_can_go_before_all_have_left(void **state) {
    (void)state;
    struct rd_world *w = with_threads(3);
    unit_do(w, 1, ARRIVE(2));
    unit_do(w, 2, ARRIVE(2));
    unit_do(w, 2, on(RD_OP_OBJECT_DESTROY, 0));
    assert_true(unit_can(w, 1, LEAVE));
    unit_do(w, 2, on(RD_OP_OBJECT_INIT, 0));
    assert_int_equal(unit_do(w, 2, ARRIVE(2)).value, 0);
    assert_true(unit_can(w, 1, LEAVE));
    assert_false(unit_can(w, 2, LEAVE));
    assert_int_equal(unit_do(w, 3, ARRIVE(2)).value, 1);
}

/*
 * The same holds for a condition if all its waiters have been signalled: the model must not touch the new contents
 * of its memory.
 */
static void cond_can_go_before_all_are_awake(void **state) {
    (void)state;
    struct rd_world *w = with_threads(1);
    struct rd_op lock = {.kind = RD_OP_MUTEX_LOCK, .addr = OTHER}, wait = {.kind = RD_OP_COND_WAIT, .addr = L};
    struct rd_op wake = {.kind = RD_OP_COND_WAKE, .addr = L, .addr2 = OTHER};
    wait.addr2 = OTHER;
    unit_do(w, 1, lock);
    unit_do(w, 1, wait);
    w->threads[1].pending = wake;
    unit_do(w, 0, on(RD_OP_COND_SIGNAL, 0));
    assert_null(unit_do(w, 0, on(RD_OP_COND_DESTROY, 0)).misuse);
    unit_do(w, 0, on(RD_OP_MUTEX_LOCK, 0)); /* the memory is a mutex now */
    assert_int_equal(unit_do(w, 1, wake).error, 0);
    assert_false(unit_can(w, 1, on(RD_OP_MUTEX_LOCK, 0)));
    assert_false(unit_can(w, 0, lock));
}

static bool is_left = true;
static bool left(uint64_t addr, unsigned kind) {
    (void)addr;
    (void)kind;
    return is_left;
}

/*
 * A destroyed object must not be used until it is initialised, or until its memory shows that it was made anew
 * without an initialisation.
 */
static void destroyed_objects_must_not_be_used(void **state) {
    (void)state;
    struct rd_world *w = with_threads(2);
    struct rd_op destroy = on(RD_OP_OBJECT_DESTROY, RD_OBJ_RWLOCK), lock = on(RD_OP_RWLOCK_RDLOCK, 0);
    struct rd_result r = {0};
    assert_false(rd_model_uses_destroyed(w, &lock, &r));
    unit_do(w, 1, destroy);
    assert_true(rd_model_uses_destroyed(w, &lock, &r));
    assert_non_null(r.misuse);
    assert_int_equal(r.misuse_tid, 1);
    assert_int_equal(r.misuse_pc, 0x77);
    assert_true(rd_model_uses_destroyed(w, &destroy, &r));
    struct rd_op other =
        on(RD_OP_SEM_POST, 0); /* an operation of another kind: the memory has become another object */
    assert_false(rd_model_uses_destroyed(w, &other, &r));
    unit_do(w, 1, on(RD_OP_OBJECT_INIT, 0));
    assert_false(rd_model_uses_destroyed(w, &lock, &r));
    unit_do(w, 1, destroy);
    w->still_destroyed = left;
    is_left = true;
    assert_true(rd_model_uses_destroyed(w, &lock, &r));
    is_left = false;
    assert_false(rd_model_uses_destroyed(w, &lock, &r));
    is_left = true; /* an object that was made anew stays valid */
    assert_false(rd_model_uses_destroyed(w, &lock, &r));
}

/* A signalled waiter needs only its mutex, even while another thread holds the mutex. */
static void cond_can_go_while_its_mutex_is_held(void **state) {
    (void)state;
    struct rd_world *w = with_threads(1);
    struct rd_op lock = {.kind = RD_OP_MUTEX_LOCK, .addr = OTHER}, wait = {.kind = RD_OP_COND_WAIT, .addr = L};
    wait.addr2 = OTHER;
    unit_do(w, 1, lock);
    unit_do(w, 1, wait);
    w->threads[1].pending = (struct rd_op){.kind = RD_OP_COND_WAKE, .addr = L, .addr2 = OTHER};
    unit_do(w, 0, lock);
    assert_non_null(unit_do(w, 0, on(RD_OP_COND_DESTROY, 0)).misuse);
    w->threads[1].waiter.signalled = true;
    assert_null(unit_do(w, 0, on(RD_OP_COND_DESTROY, 0)).misuse);
}

#define BEGIN(done) on(RD_OP_ONCE_BEGIN, done)
#define END(ran) on(RD_OP_ONCE_END, ran)

static void once_runs_once(void **state) {
    (void)state;
    struct rd_world *w = with_threads(2);
    assert_null(holder(w, 2, BEGIN(0)));
    w->step = 6;
    assert_int_equal(unit_do(w, 1, BEGIN(0)).value, 1);
    assert_false(unit_can(w, 2, BEGIN(0)));
    assert_int_equal(holder(w, 2, BEGIN(0))->owner, 1);
    assert_int_equal(holder(w, 2, BEGIN(0))->taken_at, 6);
    assert_int_equal(holder(w, 2, BEGIN(0))->taken_pc, 0x77);
    unit_do(w, 1, END(1));
    assert_null(holder(w, 2, BEGIN(0)));
    assert_int_equal(unit_do(w, 2, BEGIN(0)).value, 0);
    assert_int_equal(unit_do(w, 1, BEGIN(0)).value, 0);
    assert_null(holder(w, 2, BEGIN(0)));
}

static void once_in_itself_blocks(void **state) {
    (void)state;
    struct rd_world *w = with_threads(1);
    unit_do(w, 1, BEGIN(0));
    assert_false(unit_can(w, 1, BEGIN(0)));
    assert_int_equal(holder(w, 1, BEGIN(0))->owner, 1);
    struct rd_op other = BEGIN(0);
    other.addr = OTHER;
    assert_int_equal(unit_do(w, 1, other).value, 1); /* another once may run from within this routine */
}

static void once_that_was_left_is_run_by_the_next(void **state) {
    (void)state;
    struct rd_world *w = with_threads(2);
    assert_int_equal(unit_do(w, 1, BEGIN(0)).value, 1);
    unit_do(w, 1, END(0)); /* the routine ended by an exception */
    assert_null(holder(w, 2, BEGIN(0)));
    assert_int_equal(unit_do(w, 2, BEGIN(0)).value, 1);
    unit_do(w, 2, END(1));
    assert_int_equal(unit_do(w, 1, BEGIN(0)).value, 0);
}

static void once_that_was_done_before(void **state) {
    (void)state;
    struct rd_world *w = with_threads(2);
    assert_int_equal(unit_do(w, 1, BEGIN(1)).value, 0);
    assert_int_equal(unit_do(w, 2, BEGIN(1)).value, 0);
    assert_null(holder(w, 2, BEGIN(1)));
}

static void spin_locks_are_like_normal_mutexes(void **state) {
    (void)state;
    struct rd_world *w = with_threads(2);
    assert_int_equal(unit_do(w, 1, on(RD_OP_SPIN_LOCK, 0)).error, 0);
    assert_false(unit_can(w, 2, on(RD_OP_SPIN_LOCK, 0)));
    assert_false(unit_can(w, 1, on(RD_OP_SPIN_LOCK, 0)));
    assert_int_equal(holder(w, 2, on(RD_OP_SPIN_LOCK, 0))->owner, 1);
    assert_int_equal(unit_do(w, 2, on(RD_OP_SPIN_TRYLOCK, 0)).error, EBUSY);
    assert_int_equal(unit_do(w, 1, on(RD_OP_SPIN_TRYLOCK, 0)).error, EBUSY);
    assert_int_equal(unit_do(w, 1, on(RD_OP_SPIN_UNLOCK, 0)).error, 0);
    assert_null(holder(w, 1, on(RD_OP_SPIN_LOCK, 0)));
    assert_int_equal(unit_do(w, 2, on(RD_OP_SPIN_TRYLOCK, 0)).error, 0);
    assert_false(unit_can(w, 1, on(RD_OP_SPIN_LOCK, 0)));
    unit_do(w, 2, on(RD_OP_OBJECT_INIT, 0));
    assert_true(unit_can(w, 1, on(RD_OP_SPIN_LOCK, 0)));
}

static struct rd_op tryjoin(uint64_t t) { return (struct rd_op){.kind = RD_OP_TRYJOIN, .arg = t}; }

static void tryjoin_never_waits(void **state) {
    (void)state;
    struct rd_world *w = with_threads(3);
    assert_int_equal(unit_do(w, 0, tryjoin(1)).error, EBUSY);
    assert_int_equal(w->unjoined, 3);
    rd_thread_finish(w, 1);
    struct rd_result r = unit_do(w, 0, tryjoin(1));
    assert_int_equal(r.error, 0);
    assert_int_equal(r.value, 1);
    assert_int_equal(w->unjoined, 2);
    assert_int_equal(unit_do(w, 0, tryjoin(1)).error, EINVAL); /* the thread is joined already */
    assert_int_equal(unit_do(w, 0, tryjoin(9)).error, ESRCH);
    assert_int_equal(unit_do(w, 2, tryjoin(2)).error, EDEADLK);
    unit_do(w, 0, (struct rd_op){.kind = RD_OP_DETACH, .arg = 3});
    assert_int_equal(unit_do(w, 0, tryjoin(3)).error, EINVAL);
    assert_int_equal(w->unjoined, 2);
}

int test_primitives(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(rwlock_is_for_many_readers_or_one_writer),
        cmocka_unit_test(rwlock_tells_the_writer_that_asks_again),
        cmocka_unit_test(rwlock_reader_that_wants_to_write_blocks),
        cmocka_unit_test(rwlock_queued_writers_keep_readers_out),
        cmocka_unit_test(rwlock_names_its_holder),
        cmocka_unit_test(rwlock_bad_unlocks_have_no_effect),
        cmocka_unit_test(sem_counts),
        cmocka_unit_test(sem_begins_with_the_programs_value),
        cmocka_unit_test(sem_overflow),
        cmocka_unit_test(barrier_opens_with_the_last),
        cmocka_unit_test(barrier_rounds_do_not_mix),
        cmocka_unit_test(barrier_can_go_before_all_have_left),
        cmocka_unit_test(cond_can_go_before_all_are_awake),
        cmocka_unit_test(destroyed_objects_must_not_be_used),
        cmocka_unit_test(cond_can_go_while_its_mutex_is_held),
        cmocka_unit_test(once_runs_once),
        cmocka_unit_test(once_in_itself_blocks),
        cmocka_unit_test(once_that_was_left_is_run_by_the_next),
        cmocka_unit_test(once_that_was_done_before),
        cmocka_unit_test(spin_locks_are_like_normal_mutexes),
        cmocka_unit_test(tryjoin_never_waits),
    };
    return cmocka_run_group_tests_name("primitives", tests, NULL, NULL);
}
