/*
 * test_private_locks.c - locks that only one thread uses end no atomic block: a program has as many paths with such
 * locks as without them, and no behaviour is lost where a lock turns out not to be private, or hides a breach of
 * the locking discipline.
 */
#include "unit.h"

#include "base/rng.h"
#include "search/exitblock/exitblock.h"
#include "sim_programs.h"
#include "sim_total.h"

#include <string.h>
#include <sys/mman.h>

enum { REGION = 1 << 28, A = 0, B, OWN = 8, X = 0, Y, FLAG, DATA };

static const char *const strategies[] = {"exitblock", "exitblock:rw", "exitblock:dd", "exitblock:rw,dd"};

static int plus_1(const int *r) { return r[0] + 1; }
static int is_set(const int *r) { return r[0] != 0; }
static int not_2(const int *r) { return r[0] != 2; }

static struct rd_exitblock_count paths_of(const struct sim_program *p, const char *strategy) {
    struct sim *sim = sim_open();
    sim_load(sim, p, NULL, NULL);
    struct rd_arena arena = sim_region(REGION);
    struct rd_params params = {.seed = 0};
    struct rd_error error;
    const struct rd_search *search = rd_search_parse(strategy, &params, &error);
    assert_non_null(search);
    void *state = search->open(&arena, &params);
    struct rd_draft d = {
        .prefix = sim->prefix, .prefix_max = SIM_STEPS_MAX, .sleep = sim->sleep, .weight = sim->weight};
    while (search->next(state, &d) == RD_NEXT_RUN) {
        sim_run(sim, &d.plan);
        search->feedback(state, &d.plan, &sim->rec);
    }
    struct rd_exitblock_count c = rd_exitblock_count(state);
    munmap(arena.base, REGION);
    sim_close(sim);
    return c;
}

enum own { OWN_AROUND, OWN_INSIDE, OWN_BESIDE, OWN_TRIED, OWN_READ, OWN_KEPT, OWN_LAST, OWNS };

static void begin_own(struct sim_program *p, enum own kind, uint8_t t) {
    uint8_t m = OWN + t;
    if (kind == OWN_AROUND)
        SIM_APPEND(p, do_lock(m));
    else if (kind == OWN_BESIDE)
        SIM_APPEND(p, do_lock(m), do_write(DATA + t, 1), do_unlock(m));
    else if (kind == OWN_TRIED)
        SIM_APPEND(p, do_trylock(m, 3), do_unlock(m));
    else if (kind == OWN_READ)
        SIM_APPEND(p, do_rdlock(1 + t, 0), do_read(DATA + t, 2), do_rwunlock(1 + t), do_wrlock(1 + t, 0),
                   do_rwunlock(1 + t));
    else if (kind == OWN_INSIDE)
        SIM_APPEND(p, do_lock(m), do_unlock(m), do_lock(m), do_unlock(m));
}

static void end_own(struct sim_program *p, enum own kind, uint8_t t) {
    if (kind == OWN_AROUND)
        SIM_APPEND(p, do_unlock(OWN + t));
}

/* Random critical sections of common locks; with `owns`, each with the use of a lock of the thread. */
static struct sim_program make(uint64_t seed, bool owns) {
    struct rd_rng rng;
    struct sim_program p = {.name = "random"};
    rd_rng_seed(&rng, seed);
    uint32_t threads = 2 + (uint32_t)rd_rng_below(&rng, 2);
    for (uint32_t t = 0; t < threads; t++) {
        sim_thread(&p, NULL, 0);
        enum own whole = (enum own)rd_rng_below(&rng, OWNS);
        if (owns && whole == OWN_KEPT)
            SIM_APPEND(&p, do_lock((uint8_t)(OWN + 4 + t)));
        uint32_t pieces = threads == 2 ? 1 + (uint32_t)rd_rng_below(&rng, 2) : 1;
        for (uint32_t i = 0; i < pieces; i++) {
            uint8_t lock = (uint8_t)rd_rng_below(&rng, 2);
            enum own kind = (enum own)rd_rng_below(&rng, OWNS);
            if (owns && kind != OWN_INSIDE)
                begin_own(&p, kind, (uint8_t)t);
            SIM_APPEND(&p, do_lock(lock), do_read(lock, 0), do_write_fn(lock, plus_1));
            if (owns && kind == OWN_INSIDE)
                begin_own(&p, kind, (uint8_t)t);
            SIM_APPEND(&p, do_unlock(lock));
            if (owns)
                end_own(&p, kind, (uint8_t)t);
        }
        if (owns && whole == OWN_KEPT)
            SIM_APPEND(&p, do_unlock((uint8_t)(OWN + 4 + t)));
        if (owns && whole == OWN_LAST) /* the thread ends with the lock */
            SIM_APPEND(&p, do_lock((uint8_t)(OWN + 4 + t)));
    }
    return p;
}

static void as_many_paths_as_without_them(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        if (!unit_takes(seed, 4))
            continue;
        struct sim_program with = make(seed, true), without = make(seed, false);
        for (size_t i = 0; i < RD_COUNT(strategies); i++) {
            struct rd_exitblock_count a = paths_of(&with, strategies[i]), b = paths_of(&without, strategies[i]);
            if (a.paths != b.paths)
                print_error("seed %llu, %s\n", (unsigned long long)seed, strategies[i]);
            unit_count(strategies[i], "paths", a.paths, b.paths);
            unit_count(strategies[i], "begun", a.begun, 1);
        }
    }
}

/*
 * The second thread takes B only between the two blocks of the first one, which no execution before shows. Until
 * then B counts as private.
 */
static void taken_once(struct sim_program *p) {
    *p = (struct sim_program){.name = "taken in one order"};
    SIM_THREAD(p, do_lock(A), do_write(FLAG, 1), do_unlock(A), do_lock(A), do_write(FLAG, 0), do_unlock(A),
               do_lock(B), do_write(X, 1), do_unlock(B), do_lock(B), do_write(X, 2), do_unlock(B));
    SIM_THREAD(p, do_lock(A), do_read(FLAG, 0), do_unlock(A), do_if_zero(is_set, 0), do_lock(B), do_read(X, 0),
               do_write_fn(X, plus_1), do_unlock(B), do_label(0));
}

static void a_second_thread_is_noticed(void **state) {
    (void)state;
    struct sim_options o = {.timeouts = 0};
    struct sim_program p;
    struct sim_result all, r;
    taken_once(&p);
    sim_enumerate(&p, NULL, &all);
    for (size_t i = 0; i < RD_COUNT(strategies); i++) {
        unit_count(strategies[i], "begun", paths_of(&p, strategies[i]).begun, 2);
        sim_explore(&p, strategies[i], NULL, &r);
        unit_count(strategies[i], "final states", r.finals, all.finals);
        assert_true(r.complete && r.undisciplined == 0);
        struct total one = total_by_one(&p, strategies[i], &o);
        for (uint32_t workers = 2; workers <= 3; workers++) {
            struct total team = total_by_team(&p, strategies[i], &o, workers, 7);
            total_same_claim(strategies[i], &team.claim, &one.claim);
        }
    }
}

/*
 * The second thread uses X first without a lock, and later under B alone, which the first thread never takes. By
 * Eraser's rule B protects X. The first thread waits for the flag, so the two never use X at once.
 */
static void a_breach_is_not_hidden(void **state) {
    (void)state;
    struct sim_program p = {.name = "protected by a private lock"}, bare;
    struct sim_result all, r;
    SIM_THREAD(&p, do_write(X, 1), do_lock(A), do_write(FLAG, 1), do_unlock(A));
    bare = p;
    SIM_THREAD(&p, do_lock(A), do_read(FLAG, 0), do_unlock(A), do_if_zero(is_set, 0), do_lock(B), do_write(X, 2),
               do_unlock(B), do_lock(B), do_write(Y, 2), do_unlock(B), do_label(0));
    SIM_THREAD(&bare, do_lock(A), do_read(FLAG, 0), do_unlock(A), do_if_zero(is_set, 0), do_write(X, 2),
               do_write(Y, 2), do_label(0));
    sim_explore(&bare, "exitblock", NULL, &r);
    assert_true(r.undisciplined > 0);
    sim_enumerate(&p, NULL, &all);
    unit_count(p.name, "begun", paths_of(&p, "exitblock").begun, 2);
    sim_explore(&p, "exitblock", NULL, &r);
    unit_count(p.name, "final states", r.finals, all.finals);
}

/* The place of B is that of two locks: the second thread destroys the first one and initialises another. */
static void a_lock_that_is_made_again(void **state) {
    (void)state;
    struct sim_program p = {.name = "made again"};
    SIM_THREAD(&p, do_lock(B), do_unlock(B), do_lock(A), do_unlock(A));
    SIM_THREAD(&p, do_lock(A), do_unlock(A), do_destroy(RD_OBJ_MUTEX, B));
    /* the exits: of B and A; of A and the end of B. Without the destruction that of B is none */
    uint64_t both = paths_of(&p, "exitblock").paths;
    p.length[1] = 2;
    unit_count(p.name, "paths", paths_of(&p, "exitblock").paths, 2);
    unit_count(p.name, "paths", both, 6);
}

/* A lock cycle needs two threads at each lock. A third lock of one thread hides none and adds none. */
static void lock_cycles_are_the_same(void **state) {
    (void)state;
    struct sim_program p = {.name = "cycle"}, own = {.name = "cycle and private locks"};
    struct sim_result a, b;
    for (uint8_t t = 0; t < 2; t++) {
        SIM_THREAD(&p, do_lock(t), do_lock(1 - t), do_unlock(1 - t), do_unlock(t));
        SIM_THREAD(&own, do_lock(OWN + t), do_lock(t), do_lock(OWN + 2 + t), do_unlock(OWN + 2 + t), do_lock(1 - t),
                   do_lock(OWN + 2 + t), do_unlock(1 - t), do_unlock(OWN + 2 + t), do_unlock(t),
                   do_unlock(OWN + t));
    }
    for (size_t i = 0; i < RD_COUNT(strategies); i++) {
        sim_explore(&p, strategies[i], NULL, &a);
        sim_explore(&own, strategies[i], NULL, &b);
        unit_count(strategies[i], "cycles", b.cycles > 0, a.cycles > 0);
        unit_count(strategies[i], "deadlocks", b.deadlocks > 0, a.deadlocks > 0);
    }
}

/* A condition wait releases the mutex for other threads to see: the wait is a use of the condition, too. */
static void a_wait_ends_a_block(void **state) {
    (void)state;
    struct sim_program p = {.name = "waits with a lock of its own"};
    struct sim_result all, r;
    SIM_THREAD(&p, do_lock(B), do_wait(0, B), do_unlock(B), do_lock(A), do_read(X, 0), do_assert(not_2),
               do_unlock(A));
    SIM_THREAD(&p, do_lock(A), do_write(X, 1), do_unlock(A), do_signal(0), do_lock(A), do_write(X, 2), do_unlock(A),
               do_lock(A), do_write(X, 3), do_unlock(A));
    sim_enumerate(&p, NULL, &all);
    for (size_t i = 0; i < RD_COUNT(strategies); i++) {
        sim_explore(&p, strategies[i], NULL, &r);
        assert_true(all.asserts > 0 && r.asserts > 0);
        assert_true(r.complete && r.undisciplined == 0);
    }
}

static void a_write_of_a_lock_needs_rw(void **state) {
    (void)state;
    struct rd_params params = {.seed = 0};
    struct rd_error error;
    assert_null(rd_search_parse("exitblock:lock-is-write", &params, &error));
    assert_non_null(strstr(error.text, "lock-is-write needs rw"));
    assert_null(rd_search_parse("exitblock:dd,lock-is-write", &params, &error));
    assert_non_null(rd_search_parse("exitblock:lock-is-write,rw", &params, &error));
}

int test_private_locks(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_paths_as_without_them), cmocka_unit_test(a_second_thread_is_noticed),
        cmocka_unit_test(a_breach_is_not_hidden),        cmocka_unit_test(a_lock_that_is_made_again),
        cmocka_unit_test(lock_cycles_are_the_same),      cmocka_unit_test(a_wait_ends_a_block),
        cmocka_unit_test(a_write_of_a_lock_needs_rw),
    };
    return cmocka_run_group_tests_name("private locks", tests, NULL, NULL);
}
