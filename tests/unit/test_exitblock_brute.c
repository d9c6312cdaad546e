/*
 * test_exitblock_brute.c - the search over atomic blocks against brute force. On small programs that keep to the
 * locking discipline it reaches every final state, every assertion that can fail fails, and with `dd` there is a
 * deadlock, real or predicted, exactly when there is one. In programs that can deadlock an assertion that can fail
 * does fail, too, even in a block that never ends because its thread waits in it for ever. The programs are
 * generated from fixed seeds out of critical sections, nested ones, trylocks, atomics, semaphores, conditions and
 * read-write locks.
 */
#include "unit.h"

#include "base/rng.h"
#include "sim_programs.h"
#include "sim_total.h"

enum { A, B, X = 0, Y, W };

static int mixed(const int *r) { return (r[0] * 3 + r[1] + 1) % 11; }
static int bumped(const int *r) { return (r[0] * 2 + 1) % 7; }
static int tripled(int old, const int *r) { return (old * 3 + 1 + r[0]) % 13; }
static int is_zero(const int *r) { return r[0] == 0; }
static int got(const int *r) { return r[2]; }

enum piece {
    ON_A,
    ON_B,
    A_THEN_B,
    B_THEN_A,
    ATOMIC,
    TRY,
    POST,
    TAKE,
    WAIT,
    SIGNAL,
    SIGNAL_OUTSIDE,
    READ_LOCKED,
    WRITE_LOCKED,
    HAND_OVER,
    OUTER_LATER,
    TIMED,
    PIECES
};

static void add_waits(struct sim_program *p, enum piece kind, uint8_t label) {
    if (kind == WAIT)
        SIM_APPEND(p, do_lock(A), do_read(X, 0), do_if_zero(is_zero, label), do_wait(0, A), do_label(label),
                   do_read(X, 0), do_write_fn(X, mixed), do_unlock(A));
    else if (kind == SIGNAL)
        SIM_APPEND(p, do_lock(A), do_read(X, 0), do_write_fn(X, bumped), do_signal(0), do_unlock(A));
    else
        SIM_APPEND(p, do_lock(A), do_write(X, 1), do_unlock(A), do_signal(0));
}

static void add_piece(struct sim_program *p, enum piece kind, uint8_t label) {
    switch (kind) {
    case ON_A:
        SIM_APPEND(p, do_lock(A), do_read(X, 0), do_write_fn(X, mixed), do_unlock(A));
        break;
    case ON_B:
        SIM_APPEND(p, do_lock(B), do_read(Y, 1), do_write_fn(Y, mixed), do_unlock(B));
        break;
    case A_THEN_B:
        SIM_APPEND(p, do_lock(A), do_read(X, 0), do_lock(B), do_write_fn(Y, mixed), do_unlock(B), do_unlock(A));
        break;
    case B_THEN_A:
        SIM_APPEND(p, do_lock(B), do_read(Y, 1), do_lock(A), do_write_fn(X, mixed), do_unlock(A), do_unlock(B));
        break;
    case ATOMIC:
        SIM_APPEND(p, do_rmw(W, tripled, 0));
        break;
    case TRY:
        SIM_APPEND(p, do_trylock(A, 2), do_if_zero(got, label), do_write_fn(X, mixed), do_unlock(A),
                   do_label(label));
        break;
    case POST:
        SIM_APPEND(p, do_sem_post(0));
        break;
    case TAKE:
        SIM_APPEND(p, do_sem_wait(0));
        break;
    case READ_LOCKED:
        SIM_APPEND(p, do_rdlock(0, 0), do_read(3, 0), do_rwunlock(0));
        break;
    case WRITE_LOCKED:
        SIM_APPEND(p, do_wrlock(0, 0), do_write_fn(3, mixed), do_rwunlock(0));
        break;
    case HAND_OVER: /* critical sections that overlap without being nested */
        SIM_APPEND(p, do_lock(A), do_read(X, 0), do_lock(B), do_unlock(A), do_write_fn(Y, mixed), do_unlock(B));
        break;
    case OUTER_LATER: /* after the exit of the inner section the outer one continues */
        SIM_APPEND(p, do_lock(A), do_lock(B), do_read(Y, 1), do_unlock(B), do_write_fn(X, mixed), do_unlock(A));
        break;
    case TIMED:
        SIM_APPEND(p, do_timedlock(A, 5, 2), do_if_zero(got, label), do_write_fn(X, mixed), do_unlock(A),
                   do_label(label));
        break;
    default:
        add_waits(p, kind, label);
        break;
    }
}

static struct sim_program make(uint64_t seed) {
    struct rd_rng rng;
    rd_rng_seed(&rng, seed);
    struct sim_program p = {.name = "random"};
    uint32_t threads = 2 + (rd_rng_below(&rng, 3) == 0);
    p.sems[0] = (int)rd_rng_below(&rng, 2);
    for (uint32_t t = 0; t < threads; t++) {
        sim_thread(&p, NULL, 0);
        uint32_t pieces = threads == 2 ? 1 + rd_rng_below(&rng, 2) : 1;
        for (uint32_t i = 0; i < pieces; i++)
            add_piece(&p, (enum piece)rd_rng_below(&rng, PIECES), (uint8_t)i);
    }
    if (threads == 2 && rd_rng_below(&rng, 4) == 0) {
        struct sim_program bare = p;
        sim_with_main(&p, &bare, false);
    }
    return p;
}

static void check(uint64_t seed, const struct sim_program *p) {
    static const char *const strategies[] = {"exitblock", "exitblock:rw", "exitblock:dd", "exitblock:rw,dd",
                                             "exitblock:rw,lock-is-write"};
    struct sim_result all, r;
    struct sim_options o = {.timeouts = 1};
    sim_enumerate(p, &o, &all);
    for (size_t i = 0; i < RD_COUNT(strategies); i++) {
        sim_explore(p, strategies[i], &o, &r);
        bool dd = i == 2, stuck = all.deadlocks > 0;
        bool lost = !r.complete || r.undisciplined || r.others || (dd && (r.deadlocks + r.cycles > 0) != stuck) ||
                    (r.deadlocks && !stuck) || (!stuck && r.finals != all.finals);
        if (!lost)
            continue;
        print_error("seed %llu, %s: finals %llu of %llu, deadlocks %llu of %llu, cycles %llu, undisciplined %llu\n",
                    (unsigned long long)seed, strategies[i], (unsigned long long)r.finals,
                    (unsigned long long)all.finals, (unsigned long long)r.deadlocks,
                    (unsigned long long)all.deadlocks, (unsigned long long)r.cycles,
                    (unsigned long long)r.undisciplined);
        fail();
    }
}

static void all_results_of_brute_force(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        if (!unit_takes(seed, 4))
            continue;
        struct sim_program p = make(seed);
        check(seed, &p);
    }
}

enum holding { LOOK_AND_TAKE, LOOK_AND_LOCK, LOOKS, PULSE = LOOKS, TAKE_IF_ZERO, LOCK_OTHER, GIVE, HOLDINGS };

static int is_set(const int *r) { return r[0]; }

/*
 * A thread that checks a variable under a lock and then waits with the lock held; or one that changes the variable.
 */
static void add_holding(struct sim_program *p, enum holding kind, uint8_t label) {
    if (kind == PULSE)
        SIM_APPEND(p, do_lock(A), do_write(X, 1), do_unlock(A), do_lock(A), do_write(X, 0), do_unlock(A));
    else if (kind == LOOK_AND_TAKE)
        SIM_APPEND(p, do_lock(A), do_read(X, 0), do_assert(is_zero), do_sem_wait(0), do_unlock(A));
    else if (kind == LOOK_AND_LOCK)
        SIM_APPEND(p, do_lock(A), do_read(X, 0), do_assert(is_zero), do_lock(B), do_unlock(B), do_unlock(A));
    else if (kind == TAKE_IF_ZERO)
        SIM_APPEND(p, do_lock(A), do_read(X, 0), do_if(is_set, label), do_sem_wait(0), do_label(label),
                   do_unlock(A));
    else if (kind == LOCK_OTHER)
        SIM_APPEND(p, do_lock(B), do_sem_post(1), do_sem_wait(0), do_unlock(B));
    else
        SIM_APPEND(p, do_sem_post(0));
}

/*
 * The seeds are fixed. Hundreds of these programs can fail, most of them only where a thread is stopped in a block.
 */
static void assertions_beside_deadlocks(void **state) {
    static const char *const strategies[] = {"exitblock", "exitblock:rw", "exitblock:dd", "exitblock:rw,dd"};
    uint64_t both = 0, lost = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        if (!unit_takes(seed, 6))
            continue;
        struct rd_rng rng;
        struct sim_program p = {.name = "waits with a lock held"};
        struct sim_result all, r;
        rd_rng_seed(&rng, seed);
        uint32_t threads = 2 + (rd_rng_below(&rng, 4) == 0);
        for (uint32_t t = 0; t < threads; t++) {
            uint32_t pieces = threads == 2 ? 1 + rd_rng_below(&rng, 2) : 1, first = t ? LOOKS : 0;
            sim_thread(&p, NULL, 0);
            for (uint32_t i = 0; i < pieces; i++)
                add_holding(&p, (enum holding)(first + rd_rng_below(&rng, (t || i ? HOLDINGS : LOOKS) - first)),
                            (uint8_t)i);
        }
        sim_enumerate(&p, NULL, &all);
        both += all.asserts && all.deadlocks;
        for (size_t i = 0; i < RD_COUNT(strategies); i++) {
            sim_explore(&p, strategies[i], NULL, &r);
            if (r.complete && !r.asserts == !all.asserts && !r.undisciplined)
                continue;
            print_error("seed %llu, %s: %llu executions fail of %llu\n", (unsigned long long)seed, strategies[i],
                        (unsigned long long)r.asserts, (unsigned long long)all.asserts);
            lost++;
        }
    }
    assert_int_equal(lost, 0);
    assert_true(both > (unit_is_slow() ? 30u : 5u));
}

/* The check fails only between the two writes, and its thread can never continue from there. */
static void stopped_blocks_are_tried_again(void **state) {
    static const char *const strategies[] = {"exitblock", "exitblock:rw", "exitblock:dd", "exitblock:rw,dd"};
    struct sim_program p = {.name = "looks, and is stopped"};
    struct sim_result r;
    (void)state;
    SIM_THREAD(&p, do_lock(A), do_read(X, 0), do_assert(is_zero), do_sem_wait(0), do_unlock(A));
    SIM_THREAD(&p, do_lock(A), do_write(X, 1), do_unlock(A), do_lock(A), do_write(X, 0), do_unlock(A));
    for (size_t i = 0; i < RD_COUNT(strategies); i++) {
        sim_explore(&p, strategies[i], NULL, &r);
        assert_true(r.complete);
        assert_true(r.asserts > 0 && r.deadlocks > 0);
    }
}

/*
 * Several workers learn from each other's executions where blocks end: they run as many paths as one worker, with
 * the same claim.
 */
static void several_workers_lose_no_path(void **state) {
    static const char *const strategies[] = {"exitblock:dd", "exitblock:rw"};
    struct sim_options o = {.timeouts = 1};
    uint64_t helped = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        if (!unit_takes(seed, 4))
            continue;
        struct sim_program p = make(seed);
        for (size_t i = 0; i < RD_COUNT(strategies); i++) {
            struct total one = total_by_one(&p, strategies[i], &o);
            struct total n = total_by_team(&p, strategies[i], &o, (uint32_t)(2 + seed % 2), seed);
            total_same_claim(strategies[i], &n.claim, &one.claim);
            assert_string_equal(n.claim.voids, one.claim.voids);
            helped += n.helped;
        }
    }
    assert_true(helped > (unit_is_slow() ? 100u : 20u));
}

int test_exitblock_brute(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_results_of_brute_force),
        cmocka_unit_test(assertions_beside_deadlocks),
        cmocka_unit_test(stopped_blocks_are_tried_again),
        cmocka_unit_test(several_workers_lose_no_path),
    };
    return cmocka_run_group_tests_name("exitblock beside brute force", tests, NULL, NULL);
}
