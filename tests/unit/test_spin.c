/*
 * test_spin.c - loops that wait (spin.h): every search explores correct ones to their end, with the same final
 * states as when the loops are cut after some rounds; loops that no thread ends are livelocks.
 */
#include "unit.h"

#include "sim_programs.h"
#include "sim_search.h"

#include <stdlib.h>
#include <string.h>

enum { X, Y, LOCK, NEXT, SERVED, GAVE_UP, AGAIN = 0, OUT, FAILED };

static int r0(const int *r) { return r[0]; }
static int r1(const int *r) { return r[1]; }
static int r0_plus_1(const int *r) { return r[0] + 1; }
static int r1_plus_1(const int *r) { return r[1] + 1; }
static int served_is_mine(const int *r) { return r[1] == r[0]; }
static int one(int old, const int *r) { return 1 + 0 * old + 0 * r[0]; }
static int plus_one(int old, const int *r) { return old + 1 + 0 * r[0]; }
static int rounds_left(const int *r) { return r[3] < 2; }
static int count_round(const int *r) { return r[3] + 1; }

/* Ends a round of the loop. A bounded loop runs at most twice, then the execution is marked as useless. */
static void go_round(struct sim_program *p, bool bounded, sim_expr done) {
    SIM_APPEND(p, do_if(done, OUT));
    if (bounded)
        SIM_APPEND(p, do_set(3, count_round), do_if(rounds_left, AGAIN), do_goto(FAILED));
    else
        SIM_APPEND(p, do_goto(AGAIN));
    SIM_APPEND(p, do_label(OUT));
}

static void give_up(struct sim_program *p, bool bounded) {
    if (bounded)
        SIM_APPEND(p, do_goto(OUT + 2), do_label(FAILED), do_write(GAVE_UP, 1), do_label(OUT + 2));
}

static int not_r0(const int *r) { return !r[0]; }

static void flag(struct sim_program *p, bool bounded) {
    SIM_THREAD(p, do_label(AGAIN), do_read(X, 0));
    go_round(p, bounded, r0);
    SIM_APPEND(p, do_read(Y, 1), do_write_fn(Y, r1_plus_1));
    give_up(p, bounded);
    SIM_THREAD(p, do_write(Y, 5), do_write(X, 1));
}

static void test_and_set(struct sim_program *p, bool bounded) {
    for (int t = 0; t < 2; t++) {
        SIM_THREAD(p, do_label(AGAIN), do_rmw(LOCK, one, 0));
        go_round(p, bounded, not_r0);
        SIM_APPEND(p, do_read(Y, 1), do_write_fn(Y, r1_plus_1), do_write(LOCK, 0));
        give_up(p, bounded);
    }
}

static void ticket(struct sim_program *p, bool bounded) {
    for (int t = 0; t < 2; t++) {
        SIM_THREAD(p, do_rmw(NEXT, plus_one, 0), do_label(AGAIN), do_read(SERVED, 1));
        go_round(p, bounded, served_is_mine);
        SIM_APPEND(p, do_read(Y, 2), do_write_fn(Y, r0_plus_1), do_write_fn(SERVED, r0_plus_1));
        give_up(p, bounded);
    }
}

/* A reader of two values that belong together: it reads the version before and after. */
static int odd(const int *r) { return r[0] % 2 == 0 && r[0] == r[2]; }

static void seqlock(struct sim_program *p, bool bounded) {
    SIM_THREAD(p, do_label(AGAIN), do_read(SERVED, 0), do_read(X, 1), do_read(SERVED, 2));
    go_round(p, bounded, odd);
    SIM_APPEND(p, do_write_fn(Y, r1_plus_1));
    give_up(p, bounded);
    SIM_THREAD(p, do_write(SERVED, 1), do_write(X, 7), do_write(SERVED, 2));
}

static void trylock(struct sim_program *p, bool bounded) {
    for (int t = 0; t < 2; t++) {
        SIM_THREAD(p, do_label(AGAIN), do_trylock(0, 0));
        go_round(p, bounded, r0);
        SIM_APPEND(p, do_read(Y, 1), do_write_fn(Y, r1_plus_1), do_unlock(0));
        give_up(p, bounded);
    }
}

/* The loop ends when either of two variables is set. */
static int r0_or_r1(const int *r) { return r[0] || r[1]; }

static void either(struct sim_program *p, bool bounded) {
    SIM_THREAD(p, do_label(AGAIN), do_read(X, 0), do_read(SERVED, 1));
    go_round(p, bounded, r0_or_r1);
    SIM_APPEND(p, do_read(Y, 2), do_write_fn(Y, r1_plus_1));
    give_up(p, bounded);
    SIM_THREAD(p, do_write(X, 1));
    SIM_THREAD(p, do_write(SERVED, 1), do_read(Y, 0));
}

/* A writer that uses trylock, and a reader that is inside: the release of the read lock ends the loop. */
static void try_write(struct sim_program *p, bool bounded) {
    SIM_THREAD(p, do_label(AGAIN), do_trywrlock(0, false, 0));
    go_round(p, bounded, r0);
    SIM_APPEND(p, do_read(Y, 1), do_write_fn(Y, r1_plus_1), do_rwunlock(0));
    give_up(p, bounded);
    SIM_THREAD(p, do_rdlock(0, false), do_read(Y, 0), do_rwunlock(0));
}

/* while (y != 1) y = x; against a thread that writes both: a stale value may overwrite the other thread's write. */
static void cached(struct sim_program *p, bool bounded) {
    SIM_THREAD(p, do_label(AGAIN), do_read(X, 1), do_write_fn(Y, r1), do_read(Y, 0));
    go_round(p, bounded, r0);
    SIM_APPEND(p, do_read(SERVED, 2), do_write_fn(NEXT, r1_plus_1));
    give_up(p, bounded);
    SIM_THREAD(p, do_write(Y, 1), do_write(SERVED, 3), do_write(X, 1));
}

/* Two such loops with the same cached index. */
static void cached_twice(struct sim_program *p, bool bounded) {
    for (int t = 0; t < 2; t++) {
        SIM_THREAD(p, do_label(AGAIN), do_read(X, 0), do_write_fn(Y, r0));
        go_round(p, bounded, r0);
        SIM_APPEND(p, do_read(SERVED, 2), do_write_fn(NEXT, r0_plus_1));
        give_up(p, bounded);
    }
    SIM_THREAD(p, do_write(SERVED, 1), do_write(X, 2));
}

/*
 * do { lock; d = done; unlock; } while (!d); twice the same loop, and the awaited write happens under the same
 * lock.
 */
static void poll_loop(struct sim_program *p, bool bounded, uint8_t mutex) {
    SIM_THREAD(p, do_label(AGAIN), do_lock(mutex), do_read(X, 0), do_unlock(mutex));
    go_round(p, bounded, r0);
}

static void poll(struct sim_program *p, bool bounded) {
    poll_loop(p, bounded, 0);
    SIM_APPEND(p, do_read(Y, 1), do_write_fn(Y, r1_plus_1));
    give_up(p, bounded);
    SIM_THREAD(p, do_lock(0), do_write(Y, 5), do_write(X, 1), do_unlock(0));
}

/*
 * In the second round the lock operation meets another local state, the read under the lock does not: the loop must
 * not wait there.
 */
static int always_one(const int *r) { return 1 + 0 * r[0]; }

static void poll_rotated(struct sim_program *p, bool bounded) {
    SIM_THREAD(p, do_label(AGAIN), do_lock(0), do_set(2, always_one), do_read(X, 0), do_unlock(0));
    go_round(p, bounded, r0);
    give_up(p, bounded);
    SIM_THREAD(p, do_lock(0), do_write(Y, 5), do_write(X, 1), do_unlock(0));
}

static void poll_by_two(struct sim_program *p, bool bounded) {
    for (int t = 0; t < 2; t++) {
        poll_loop(p, bounded, 0);
        give_up(p, bounded);
    }
    SIM_THREAD(p, do_lock(0), do_write(X, 1), do_unlock(0));
}

/*
 * A thread that uses trylock can observe in which rounds the loop held the lock: between two rounds the lock must
 * have been free.
 */
static void poll_noticed(struct sim_program *p, bool bounded) {
    poll_loop(p, bounded, 0);
    give_up(p, bounded);
    SIM_THREAD(p, do_trylock(0, 0), do_if(r0, AGAIN), do_lock(0), do_unlock(0), do_trylock(0, 1), do_if(r1, OUT),
               do_write(X, 1), do_goto(FAILED), do_label(AGAIN), do_write(X, 2), do_unlock(0), do_goto(FAILED),
               do_label(OUT), do_write(X, 3), do_unlock(0), do_label(FAILED));
}

/* Another thread holds the lock for a time, which does not concern a loop that waits for another variable. */
static void poll_beside(struct sim_program *p, bool bounded) {
    poll_loop(p, bounded, 0);
    SIM_APPEND(p, do_read(Y, 1));
    give_up(p, bounded);
    SIM_THREAD(p, do_lock(0), do_write(Y, 1), do_unlock(0), do_write(X, 1));
}

static void poll_reading(struct sim_program *p, bool bounded) {
    SIM_THREAD(p, do_label(AGAIN), do_rdlock(0, false), do_read(X, 0), do_rwunlock(0));
    go_round(p, bounded, r0);
    SIM_APPEND(p, do_read(Y, 1));
    give_up(p, bounded);
    SIM_THREAD(p, do_trywrlock(0, false, 0), do_write_fn(Y, r0_plus_1), do_write(X, 1), do_if_zero(r0, OUT),
               do_rwunlock(0), do_label(OUT));
}

/* A lock inside another, and a third lock that is held all the time. */
static void poll_nested(struct sim_program *p, bool bounded) {
    SIM_THREAD(p, do_lock(2), do_label(AGAIN), do_lock(0), do_lock(1), do_read(X, 0), do_unlock(1), do_unlock(0));
    go_round(p, bounded, r0);
    SIM_APPEND(p, do_unlock(2));
    give_up(p, bounded);
    SIM_THREAD(p, do_lock(1), do_write(Y, 1), do_unlock(1), do_lock(0), do_write(X, 1), do_unlock(0));
}

typedef void build(struct sim_program *p, bool bounded);
static const struct {
    const char *name;
    build *build;
} loops[] = {{"flag", flag},
             {"cached", cached},
             {"cached twice", cached_twice},
             {"test and set", test_and_set},
             {"ticket", ticket},
             {"seqlock", seqlock},
             {"trylock", trylock},
             {"either", either},
             {"try write", try_write},
             {"poll", poll},
             {"poll by two", poll_by_two},
             {"noticed", poll_noticed},
             {"beside", poll_beside},
             {"reading", poll_reading},
             {"nested", poll_nested},
             {"rotated", poll_rotated}};

/* ---- final states ---- */

struct states {
    uint64_t at[256];
    uint32_t count;
};

static void note(void *ctx, const struct sim *s) {
    struct states *set = ctx;
    uint64_t h = 1;
    if (s->rec.out->verdict == RD_CUT || s->vars[GAVE_UP])
        return;
    for (uint32_t v = 0; v < SIM_VARS; v++)
        h = rd_hash2(h, (uint64_t)s->vars[v]);
    for (uint32_t t = 0; t < s->program->threads; t++)
        for (uint32_t k = 0; k < 3; k++)
            h = rd_hash2(h, (uint64_t)s->reg[t][k]);
    for (uint32_t i = 0; i < set->count; i++)
        if (set->at[i] == h)
            return;
    assert_true(set->count < RD_COUNT(set->at));
    set->at[set->count++] = h;
}

static bool has(const struct states *s, uint64_t h) {
    for (uint32_t i = 0; i < s->count; i++)
        if (s->at[i] == h)
            return true;
    return false;
}

static void same(const char *name, const char *what, const struct states *a, const struct states *b) {
    bool equal = a->count == b->count;
    for (uint32_t i = 0; i < a->count; i++)
        equal &= has(b, a->at[i]);
    if (!equal) {
        print_error("%s: %s: %u final states, expected %u\n", name, what, b->count, a->count);
        fail();
    }
}

/*
 * A loop that is recognised as waiting reaches exactly the final states that the loop cut after two rounds reaches.
 */
static void loops_end_in_the_same_states(void **state) {
    (void)state;
    for (uint32_t i = 0; i < RD_COUNT(loops); i++) {
        if (!unit_takes(i, 4))
            continue;
        struct sim_program free_running = {.name = loops[i].name}, waiting = {.name = loops[i].name};
        struct states expected = {.count = 0}, brute = {.count = 0};
        struct sim_options o = {.seen = note, .ctx = &expected};
        struct sim_result r;
        loops[i].build(&free_running, true);
        loops[i].build(&waiting, false);
        sim_enumerate(&free_running, &o, &r);
        assert_int_equal(r.hangs + r.others, 0);
        o = (struct sim_options){.seen = note, .ctx = &brute, .loops = true};
        sim_enumerate(&waiting, &o, &r);
        assert_int_equal(r.hangs + r.deadlocks + r.others, 0);
        same(loops[i].name, "brute force", &expected, &brute);
        static const char *const strategies[] = {"dfs", "icb", "dpor", "dpor:optimal", "bpor", "delay"};
        for (uint32_t k = 0; k < RD_COUNT(strategies); k++) {
            struct states found = {.count = 0};
            o.ctx = &found;
            sim_explore(&waiting, strategies[k], &o, &r);
            assert_int_equal(r.hangs + r.deadlocks + r.others, 0);
            same(loops[i].name, strategies[k], &expected, &found);
        }
    }
}

/*
 * The awaited write is the last operation of its thread. It counts at once, not only when no other thread is
 * enabled.
 */
static void the_end_of_a_thread_counts_at_once(void **state) {
    (void)state;
    static const rd_tid turns[] = {1, 2, 1, 1, 1};
    struct sim_program p = {.name = "count and end"};
    SIM_THREAD(&p, do_label(AGAIN), do_read(X, 0), do_if_zero(r0, AGAIN), do_read(Y, 1));
    SIM_THREAD(&p, do_rmw(X, plus_one, -1));
    SIM_THREAD(&p, do_write(Y, 1));
    struct sim *s = sim_open();
    sim_load(s, &p, &(struct sim_options){.loops = true}, NULL);
    sim_run_threads(s, turns, RD_COUNT(turns));
    assert_int_equal(s->rec.out->verdict, RD_PASSED);
    assert_int_equal(s->rec.steps[2].op, RD_OP_AWAIT);
    for (uint32_t i = 0; i < RD_COUNT(turns); i++)
        assert_int_equal(s->rec.steps[i].tid, turns[i]);
    assert_int_equal(s->reg[0][1], 0); /* Y was read before it was written */
    sim_close(s);
}

/* Each thread waits for the other's flag, which the other would set afterwards. */
static void loops_that_no_thread_ends_are_livelocks(void **state) {
    (void)state;
    struct sim_program p = {.name = "both wait"};
    SIM_THREAD(&p, do_label(AGAIN), do_read(X, 0), do_if_zero(r0, AGAIN), do_write(Y, 1));
    SIM_THREAD(&p, do_label(AGAIN), do_read(Y, 0), do_if_zero(r0, AGAIN), do_write(X, 1));
    struct sim *s = sim_open();
    sim_load(s, &p, &(struct sim_options){.loops = true}, NULL);
    sim_run(s, &(struct rd_plan){.picker = RD_PICK_STAY});
    assert_int_equal(s->rec.out->verdict, RD_FOUND);
    assert_int_equal(s->rec.out->finding.kind, RD_LIVELOCK);
    sim_close(s);
}

/* The same under a lock, with a thread that holds the lock for a time and changes another variable. */
static void polls_that_no_thread_ends_are_livelocks(void **state) {
    (void)state;
    struct sim_program p = {.name = "poll for ever"};
    struct sim_options o = {.loops = true};
    struct sim_result r;
    SIM_THREAD(&p, do_label(AGAIN), do_lock(0), do_read(X, 0), do_unlock(0), do_if_zero(r0, AGAIN));
    SIM_THREAD(&p, do_lock(0), do_write(Y, 1), do_unlock(0));
    static const char *const strategies[] = {"dfs", "icb", "dpor"};
    for (uint32_t k = 0; k < RD_COUNT(strategies); k++) {
        sim_explore(&p, strategies[k], &o, &r);
        assert_true(r.complete && r.executions > 0 && r.ok == 0 && r.hangs == 0);
    }
    struct sim *s = sim_open();
    sim_load(s, &p, &o, NULL);
    sim_run(s, &(struct rd_plan){.picker = RD_PICK_STAY});
    assert_int_equal(s->rec.out->finding.kind, RD_LIVELOCK);
    sim_close(s);
}

/* ---- loops that write ---- */

static int r0_below_limit(const int *r) { return r[0] < 100000; }

static uint32_t kind_of(const struct sim_program *p, uint32_t *round) {
    struct sim *s = sim_open();
    sim_load(s, p, &(struct sim_options){.loops = true, .steps_max = SIM_STEPS_MAX - 10, .fair_after = 40}, NULL);
    rd_tid turns[40]; /* in lockstep, until the fairness rule continues in that way */
    for (uint32_t i = 0; i < RD_COUNT(turns); i++)
        turns[i] = (rd_tid)(1 + i % p->threads);
    sim_run_threads(s, turns, RD_COUNT(turns));
    const struct rd_finding *f = &s->rec.out->finding;
    assert_int_equal(s->rec.out->verdict, RD_FOUND);
    uint32_t kind = f->kind;
    *round = f->step ? f->step - f->other_step + 1 : 0;
    sim_close(s);
    return kind;
}

/* "After you": each thread sets its flag, sees the other's, and resets its own. */
static void polite_threads_are_a_livelock(void **state) {
    (void)state;
    struct sim_program p = {.name = "polite"};
    uint32_t round;
    for (uint8_t t = 0; t < 2; t++)
        SIM_THREAD(&p, do_label(AGAIN), do_write(t, 1), do_read(1 - t, 0), do_if_zero(r0, OUT), do_write(t, 0),
                   do_goto(AGAIN), do_label(OUT), do_write(t, 0));
    assert_int_equal(kind_of(&p, &round), RD_LIVELOCK);
    assert_int_equal(round, 6);
}

static void lock_try_and_back_off_is_a_livelock(void **state) {
    (void)state;
    struct sim_program p = {.name = "back off"};
    uint32_t round;
    for (uint8_t t = 0; t < 2; t++)
        SIM_THREAD(&p, do_label(AGAIN), do_lock(t), do_trylock(1 - t, 0), do_if(r0, OUT), do_unlock(t),
                   do_goto(AGAIN), do_label(OUT), do_unlock(1 - t), do_unlock(t));
    assert_int_equal(kind_of(&p, &round), RD_LIVELOCK);
    assert_int_equal(round, 8); /* each waits for the other's lock to change before it tries again */
}

/* A thread that retries for ever, with writes in each round. */
static void endless_retries_are_a_livelock(void **state) {
    (void)state;
    struct sim_program p = {.name = "retry"};
    uint32_t round;
    SIM_THREAD(&p, do_label(AGAIN), do_write(X, 1), do_write(X, 0), do_read(Y, 0), do_if_zero(r0, AGAIN));
    assert_int_equal(kind_of(&p, &round), RD_LIVELOCK);
    assert_int_equal(round, 3);
}

/* The same with a store that changes the value only in the first round: the loop only waits. */
static void stores_of_the_same_value_wait(void **state) {
    (void)state;
    struct sim_program p = {.name = "store again"};
    SIM_THREAD(&p, do_label(AGAIN), do_write(X, 1), do_read(Y, 0), do_if_zero(r0, AGAIN));
    struct sim *s = sim_open();
    sim_load(s, &p, &(struct sim_options){.loops = true}, NULL);
    sim_run(s, &(struct rd_plan){.picker = RD_PICK_STAY});
    assert_int_equal(s->rec.out->finding.kind, RD_LIVELOCK);
    assert_int_equal(s->rec.out->finding.step, 0); /* the loop was not reported for its rounds: it waits */
    sim_close(s);
}

/*
 * Counting is progress, whether the count is in a register or only in memory: the execution is cut at its limit,
 * without a finding.
 */
static void counting_is_no_finding(void **state) {
    (void)state;
    struct sim_program p[3] = {{.name = "count"}, {.name = "count in memory"}, {.name = "count beside"}};
    SIM_THREAD(&p[0], do_label(AGAIN), do_read(X, 0), do_write_fn(X, r0_plus_1), do_if(r0_below_limit, AGAIN));
    SIM_THREAD(&p[1], do_label(AGAIN), do_rmw(X, plus_one, -1), do_goto(AGAIN));
    SIM_THREAD(&p[2], do_label(AGAIN), do_write(Y, 1), do_write(Y, 0), do_goto(AGAIN));
    SIM_THREAD(&p[2], do_label(AGAIN), do_rmw(X, plus_one, -1), do_goto(AGAIN));
    static const enum rd_picker_index pickers[] = {RD_PICK_STAY, RD_PICK_RANDOM, RD_PICK_LAST};
    for (uint32_t i = 0; i < RD_COUNT(p) * RD_COUNT(pickers); i++) {
        struct sim *s = sim_open();
        struct sim_options o = {.loops = true, .steps_max = SIM_STEPS_MAX - 10, .fair_after = 40};
        sim_load(s, &p[i % RD_COUNT(p)], &o, NULL);
        sim_run(s, &(struct rd_plan){.picker = pickers[i / RD_COUNT(p)], .seed = 1});
        assert_int_equal(s->rec.out->verdict, RD_CUT);
        assert_int_equal(s->rec.out->limited, 1);
        assert_int_equal(s->rec.out->steps, SIM_STEPS_MAX - 10);
        sim_close(s);
    }
}

int test_spin(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_end_in_the_same_states),
        cmocka_unit_test(the_end_of_a_thread_counts_at_once),
        cmocka_unit_test(loops_that_no_thread_ends_are_livelocks),
        cmocka_unit_test(polls_that_no_thread_ends_are_livelocks),
        cmocka_unit_test(polite_threads_are_a_livelock),
        cmocka_unit_test(lock_try_and_back_off_is_a_livelock),
        cmocka_unit_test(endless_retries_are_a_livelock),
        cmocka_unit_test(stores_of_the_same_value_wait),
        cmocka_unit_test(counting_is_no_finding),
    };
    return cmocka_run_group_tests_name("loops", tests, NULL, NULL);
}
