/*
 * test_divergence.c - prefixes that do not fit the program: every reason for a divergence, what the outcome says
 * about it, and that a plan without fingerprints is compared only as far as its prefix says.
 */
#include "unit.h"

#include "sim_programs.h"

static struct sim *sim;
static struct sim_program program;

static int open_sim(void **state) {
    (void)state;
    sim = sim_open();
    program = sim_make(sim_abba, 0, 0);
    return 0;
}

static int close_sim(void **state) {
    (void)state;
    sim_close(sim);
    return 0;
}

static void run(uint32_t count) { sim_run(sim, &(struct rd_plan){.prefix_count = count, .picker = RD_PICK_STAY}); }

/* Records one whole execution (thread 1 to its end, then 2) as the prefix. Returns its length. */
static uint32_t record_one(bool strict) {
    sim_load(sim, &program, &(struct sim_options){.strict = strict}, NULL);
    run(0);
    uint32_t steps = sim->rec.out->steps;
    assert_int_equal(steps, 8);
    rd_choices_of_steps(sim->prefix, sim->rec.steps, steps);
    return steps;
}

static const struct rd_divergence *diverged(enum rd_divergence_why why, uint32_t step, rd_tid tid) {
    const struct rd_outcome *o = sim->rec.out;
    assert_int_equal(o->verdict, RD_DIVERGED);
    assert_int_equal(o->divergence.why, why);
    assert_int_equal(o->divergence.step, step);
    assert_int_equal(o->divergence.tid, tid);
    assert_int_equal(o->steps, step);
    assert_int_equal(o->finding.kind, RD_NO_FINDING);
    return &o->divergence;
}

static void no_such_thread(void **state) {
    (void)state;
    static const uint16_t none[] = {7, 0 /* the main thread has ended */, RD_TID_MAX, RD_TID_NONE};
    for (size_t i = 0; i < RD_COUNT(none); i++) {
        uint32_t n = record_one(false);
        sim->prefix[2].pick = none[i];
        run(n);
        const struct rd_divergence *d = diverged(RD_DIV_NO_THREAD, 2, RD_TID_NONE);
        assert_int_equal(d->expected.pick, none[i]);
        assert_int_equal(d->actual.kind, RD_OP_NONE);
        assert_int_equal(sim->rec.out->prefix_used, 2);
    }
}

static void thread_is_blocked(void **state) {
    (void)state;
    sim_load(sim, &program, NULL, NULL);
    sim_run_threads(sim, (rd_tid[]){1, 1, 2}, 3); /* thread 2 locks B, which thread 1 holds */
    const struct rd_divergence *d = diverged(RD_DIV_BLOCKED, 2, 2);
    assert_int_equal(d->actual.kind, RD_OP_MUTEX_LOCK);
}

static void the_thread_has_another_operation(void **state) {
    (void)state;
    for (int what = 0; what < 3; what++) {
        uint32_t n = record_one(false);
        struct rd_choice *c = &sim->prefix[3];
        if (what == 0)
            c->pc++;
        else if (what == 1)
            c->place++;
        else
            c->op = RD_OP_MUTEX_TRYLOCK;
        run(n);
        const struct rd_divergence *d = diverged(RD_DIV_OPERATION, 3, 1);
        assert_int_equal(d->actual.kind, RD_OP_MUTEX_UNLOCK);
        assert_memory_equal(&d->expected, c, sizeof *c);
    }
}

static void another_thread_has_another_operation(void **state) {
    (void)state;
    uint32_t n = record_one(false);
    sim->prefix[0].fp ^= 1;
    run(n);
    diverged(RD_DIV_OTHERS, 0, 1);
    /* The same when the operation of the chosen thread is not compared. */
    sim->prefix[0].op = RD_OP_NONE;
    run(n);
    diverged(RD_DIV_OTHERS, 0, 1);
    sim->prefix[0].fp = 0; /* no fingerprint is compared */
    run(n);
    assert_int_equal(sim->rec.out->verdict, RD_PASSED);
}

/* The prefix was recorded from `program`, which is then changed. */
static void a_changed_program_diverges(void **state) {
    (void)state;
    uint32_t n = record_one(true);
    struct sim_program was = program;
    program.code[1][0].kind = SIM_TRYLOCK; /* thread 2's first operation, a candidate at the first step */
    run(n);
    diverged(RD_DIV_OTHERS, 0, 1);
    program = was;
    program.code[0][1].object = 0; /* thread 1 locks A twice */
    run(n);
    diverged(RD_DIV_OPERATION, 1, 1);
    program = was;
    run(n);
    assert_int_equal(sim->rec.out->verdict, RD_PASSED);
}

static void a_thread_where_a_value_was_expected(void **state) {
    (void)state;
    uint32_t n = record_one(false);
    sim->prefix[2].op = RD_OP_WAITER;
    run(n);
    diverged(RD_DIV_VALUE, 2, 1); /* thread 1 made the last step */
}

static void a_value_where_a_thread_was_expected(void **state) {
    (void)state;
    struct sim_program p = {.name = "waiters"};
    enum { M, CV = 0 };
    for (int t = 0; t < 2; t++)
        SIM_THREAD(&p, do_lock(M), do_wait(CV, M), do_unlock(M));
    SIM_THREAD(&p, do_broadcast(CV), do_signal(CV));
    p.code[2][0].kind = SIM_YIELD;
    sim_load(sim, &p, NULL, NULL);
    static const rd_tid tids[] = {1, 1, 2, 2, 3, 3, 1};
    sim_run_threads(sim, tids, 7);
    assert_int_equal(sim->rec.out->verdict, RD_DIVERGED);
    assert_int_equal(sim->rec.out->divergence.why, RD_DIV_VALUE);
    assert_int_equal(sim->rec.out->divergence.tid, 3);
    assert_int_equal(sim->rec.out->divergence.actual.kind, RD_OP_COND_SIGNAL);
    sim->prefix[6] = (struct rd_choice){.pick = 2, .op = RD_OP_WAITER}; /* there are only two ways */
    run(7);
    assert_int_equal(sim->rec.out->divergence.why, RD_DIV_VALUE);
    sim->prefix[6].pick = 1;
    run(7);
    assert_int_equal(sim->rec.out->verdict, RD_FOUND); /* a deadlock: one of the two waiters sleeps for ever */
    assert_int_equal(sim->rec.out->prefix_used, 7);
    uint32_t fp = sim->rec.steps[6].fp;
    /* another number of waiters: only the fingerprint of this point contains sleeping threads */
    sim->prefix[6].fp = fp ^ 2;
    run(7);
    assert_int_equal(sim->rec.out->verdict, RD_DIVERGED);
    assert_int_equal(sim->rec.out->divergence.why, RD_DIV_OTHERS);
    sim->prefix[6].fp = fp;
    run(7);
    assert_int_equal(sim->rec.out->verdict, RD_FOUND);
}

static void ending_early_counts_only_when_strict(void **state) {
    (void)state;
    uint32_t n = record_one(true);
    sim->prefix[n] = (struct rd_choice){.pick = 1};
    run(n + 1);
    const struct rd_divergence *d = diverged(RD_DIV_EARLY, n, RD_TID_NONE);
    assert_int_equal(d->expected.pick, 1);
    n = record_one(false);
    sim->prefix[n] = (struct rd_choice){.pick = 1};
    run(n + 1);
    assert_int_equal(sim->rec.out->verdict, RD_PASSED);
    assert_int_equal(sim->rec.out->prefix_used, n);
    /* A deadlock before the end of the prefix is an end of the execution that the prefix does not expect. */
    sim_load(sim, &program, &(struct sim_options){.strict = true}, NULL);
    sim_run_threads(sim, (rd_tid[]){1, 2, 1}, 2);
    assert_int_equal(sim->rec.out->finding.kind, RD_DEADLOCK);
    sim_run_threads(sim, (rd_tid[]){1, 2, 1}, 3);
    diverged(RD_DIV_EARLY, 2, RD_TID_NONE);
}

static void a_divergence_ends_the_execution(void **state) {
    (void)state;
    uint32_t n = record_one(false);
    sim->prefix[1].pick = 7;
    run(n);
    assert_int_equal(rd_engine_next(&sim->engine), RD_TID_NONE);
    assert_int_equal(sim->rec.out->steps, 1);
    diverged(RD_DIV_NO_THREAD, 1, RD_TID_NONE);
}

int test_divergence(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_such_thread),
        cmocka_unit_test(thread_is_blocked),
        cmocka_unit_test(the_thread_has_another_operation),
        cmocka_unit_test(another_thread_has_another_operation),
        cmocka_unit_test(a_changed_program_diverges),
        cmocka_unit_test(a_thread_where_a_value_was_expected),
        cmocka_unit_test(a_value_where_a_thread_was_expected),
        cmocka_unit_test(ending_early_counts_only_when_strict),
        cmocka_unit_test(a_divergence_ends_the_execution),
    };
    return cmocka_run_group_tests_name("divergence", tests, open_sim, close_sim);
}
