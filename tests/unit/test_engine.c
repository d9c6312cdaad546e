/*
 * test_engine.c - one execution: the record, the order of prefix and picker, fingerprints, replay. Threads of bare
 * programs are the engine's 1, 2, …
 */
#include "unit.h"

#include "sim_check.h"
#include "sim_programs.h"
#include "unit_sim.h"
#include "trace/place.h"

#include <errno.h>
#include <string.h>

static void the_prefix_comes_before_the_picker(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_independent, 2, 3);
    sim_load(sim, &p, NULL, NULL);
    RUN(2, 1, 2);
    /* then the default picker: the current thread as long as it is enabled, then the first one */
    CHECK_THREADS(2, 1, 2, 2, 1, 1);
    assert_int_equal(sim->rec.out->prefix_used, 3);
    assert_int_equal(sim->rec.out->verdict, RD_PASSED);

    /* The random picker's choices are a function of its seed. It is asked only after the prefix. */
    uint64_t seen[2][8];
    for (uint64_t seed = 0; seed < 8; seed++) {
        for (int again = 0; again < 2; again++) {
            for (int i = 0; i < 2; i++)
                sim->prefix[i] = (struct rd_choice){.pick = 2};
            sim_run(sim, &(struct rd_plan){.prefix_count = 2, .picker = RD_PICK_RANDOM, .seed = seed});
            assert_int_equal(sim->rec.steps[0].tid, 2);
            assert_int_equal(sim->rec.steps[1].tid, 2);
            seen[again][seed] = 0;
            for (uint32_t i = 0; i < sim->rec.out->steps; i++)
                seen[again][seed] = seen[again][seed] * 4 + sim->rec.steps[i].tid;
        }
    }
    assert_memory_equal(seen[0], seen[1], sizeof seen[0]);
    bool differ = false;
    for (int i = 1; i < 8; i++)
        differ |= seen[0][i] != seen[0][0];
    assert_true(differ);
}

static void steps_record_candidates_and_switches(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_abba, 0, 0);
    sim_load(sim, &p, NULL, NULL);
    RUN(2, 2, 2, 1); /* thread 2 has released A but not B */
    CHECK_THREADS(2, 2, 2, 1, 2, 1, 1, 1);
    static const uint16_t ncand[] = {2, 2, 1, 2, 1, 1, 1, 1};
    enum { SWITCH = RD_STEP_SWITCH, STAY = RD_STEP_COULD_STAY };
    static const uint8_t flags[] = {SWITCH, STAY,   STAY, SWITCH | STAY | RD_STEP_PREEMPTION,
                                    SWITCH, SWITCH, STAY, STAY};
    const struct rd_record *r = &sim->rec;
    for (uint32_t i = 0; i < r->out->steps; i++) {
        const struct rd_step *s = &r->steps[i];
        assert_int_equal(s->ncand, ncand[i]);
        assert_int_equal(s->flags, flags[i]);
        bool among = false;
        for (uint32_t k = 0; k < s->ncand; k++)
            among |= r->cands[s->cand + k] == s->tid;
        assert_true(among);
        assert_true(s->fp != 0);
    }
    assert_int_equal(r->out->preemptions, 1);
    assert_int_equal(r->out->points, 3);
    assert_int_equal(r->steps[0].op, RD_OP_MUTEX_LOCK);
    assert_int_equal(r->steps[0].place, rd_place_make(RD_PLACE_MODULE, 0x20000 + 64));
}

static int plus_1(int old, const int *r) { return old + 1 + 0 * r[0]; }

static void results_are_in_the_steps(void **state) {
    (void)state;
    struct sim_program p = {.name = "results", .main = true, .start_steps = true};
    enum { X, M = 0, CV = 0 };
    SIM_THREAD(&p, do_write(X, 7), do_lock(M), do_spawn(1), do_wait(CV, M), do_unlock(M), do_join(1));
    SIM_THREAD(&p, do_trylock(M, 0), do_rmw(X, plus_1, 1), do_signal(CV));
    sim_load(sim, &p, NULL, NULL);
    RUN(0, 1, 1, 0, 1, 1, 0);
    const struct rd_step *s = sim->rec.steps;
    static const uint8_t ops[] = {RD_OP_CREATE,    RD_OP_START,        RD_OP_MUTEX_TRYLOCK,
                                  RD_OP_COND_WAIT, RD_OP_ATOMIC_RMW,   RD_OP_COND_SIGNAL,
                                  RD_OP_COND_WAKE, RD_OP_MUTEX_UNLOCK, RD_OP_JOIN};
    assert_int_equal(sim->rec.out->verdict, RD_PASSED);
    assert_int_equal(sim->rec.out->steps, RD_COUNT(ops)); /* the steps before the first creation are not recorded */
    for (size_t i = 0; i < RD_COUNT(ops); i++)
        assert_int_equal(s[i].op, ops[i]);
    assert_int_equal(s[0].value, 1);
    assert_int_equal(s[2].result, EBUSY);
    assert_int_equal(s[3].flags & RD_STEP_VALUE2, RD_STEP_VALUE2);
    assert_int_equal(s[3].value, rd_place_make(RD_PLACE_MODULE, 0x20000));
    assert_int_equal(s[8].value, 1);
    assert_int_equal(sim->vars[X], 8);
    assert_int_equal(sim->reg[1][0], 0);
    assert_int_equal(sim->reg[1][1], 7);
    assert_int_equal(sim->rec.out->threads, 2);
    assert_int_equal(sim->rec.out->alive_max, 2);
}

/* The fingerprint of the first choice between thread 1 about to do `a` and thread 2 about to do `b`. */
static uint32_t fingerprint(struct rd_op a, struct rd_op b) {
    static struct rd_engine e;
    static struct rd_thread_path paths[RD_TID_MAX];
    uint32_t path_count = 0;
    struct rd_result r;
    rd_arena_reset(&sim->arena);
    *sim->rec.out = (struct rd_outcome){0};
    rd_engine_begin(&e, &sim->arena, &sim->rec, paths, &path_count);
    for (int i = 0; i < 2; i++)
        rd_engine_instant(&e, 0, &(struct rd_op){.kind = RD_OP_CREATE}, &r);
    rd_engine_finish_thread(&e, 0);
    rd_engine_announce(&e, 1, &a);
    rd_engine_announce(&e, 2, &b);
    rd_engine_record(&e, &(struct rd_plan){0},
                     &(struct rd_engine_limits){.steps_max = 100, .fair_after = 100, .yields = 1});
    assert_int_equal(rd_engine_next(&e), 1);
    return sim->rec.steps[0].fp;
}

static void fingerprints_cover_all_pending_operations(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_abba, 0, 0);
    sim_load(sim, &p, NULL, NULL);
    struct rd_op a = {.kind = RD_OP_WRITE, .addr = 0x1000, .size = 4};
    a.place = rd_place_make(RD_PLACE_MODULE, 0x1000);
    a.pc = rd_place_make(RD_PLACE_MODULE, 1);
    struct rd_op b = a, c;
    b.pc++;
    uint32_t fp = fingerprint(a, b);
    assert_int_equal(fingerprint(a, b), fp);
    assert_true(fingerprint(b, a) != fp);
    assert_true((c = b, c.pc++, fingerprint(a, c)) != fp);
    assert_true((c = b, c.place++, fingerprint(a, c)) != fp);
    assert_true((c = b, c.kind = RD_OP_READ, fingerprint(a, c)) != fp);
    assert_true((c = b, c.size = 8, fingerprint(a, c)) != fp);
    assert_true((c = b, c.kind = RD_OP_JOIN, c.arg = 1, fingerprint(a, c)) != fp); /* not enabled */
    /* the addresses differ, the places are equal */
    assert_int_equal((c = b, c.addr = 0x5000, fingerprint(a, c)), fp);
    /* An address outside every known region differs between processes. */
    c = b;
    c.place = rd_place_make(RD_PLACE_OTHER, 0x7000);
    fp = fingerprint(a, c);
    c.place = rd_place_make(RD_PLACE_OTHER, 0x8000);
    assert_int_equal(fingerprint(a, c), fp);
}

/*
 * Runs the last execution once more, as a plan that compares all fingerprints, and expects the same outcome and
 * steps to the last bit.
 */
static void replay(const char *name) {
    static struct rd_step steps[SIM_STEPS_MAX];
    struct rd_outcome o = *sim->rec.out;
    memcpy(steps, sim->rec.steps, o.steps * sizeof *steps);
    rd_choices_of_steps(sim->prefix, steps, o.steps);
    sim_run(sim, &(struct rd_plan){.prefix_count = o.steps, .picker = RD_PICK_STAY});
    unit_count(name, "verdict", sim->rec.out->verdict, o.verdict);
    unit_count(name, "steps", sim->rec.out->steps, o.steps);
    unit_count(name, "class", sim->rec.out->class_hash[0], o.class_hash[0]);
    unit_count(name, "preemptions", sim->rec.out->preemptions, o.preemptions);
    assert_memory_equal(sim->rec.steps, steps, o.steps * sizeof *steps);
}

static void recorded_executions_replay(void **state) {
    (void)state;
    static const struct {
        sim_build build;
        int n, k;
    } programs[] = {
        {sim_abba, 0, 0}, {sim_philosophers, 4, 0},     {sim_slot, 3, 0},      {sim_consumers, 0, 0},
        {sim_slot, 2, 1}, {sim_lost_update_main, 0, 0}, {sim_spin_flag, 0, 0}, {sim_two_stage, 3, 0},
    };
    for (size_t i = 0; i < RD_COUNT(programs); i++) {
        struct sim_program p = sim_make(programs[i].build, programs[i].n, programs[i].k);
        sim_load(sim, &p, &(struct sim_options){.strict = true, .spurious = 1}, NULL);
        for (uint64_t seed = 1; seed <= 50; seed++) {
            sim_run(sim, &(struct rd_plan){.picker = RD_PICK_RANDOM, .seed = seed});
            assert_true(sim->rec.out->verdict == RD_PASSED || sim->rec.out->verdict == RD_FOUND);
            replay(p.name);
        }
    }
}

/* The numbers of threads that different threads create do not depend on which creation comes first. */
static void thread_numbers_do_not_depend_on_the_schedule(void **state) {
    (void)state;
    struct sim_program p = {.name = "family", .main = true};
    SIM_THREAD(&p, do_spawn(1), do_spawn(2), do_join(1), do_join(2));
    SIM_THREAD(&p, do_yield(), do_spawn(3), do_join(3));
    SIM_THREAD(&p, do_yield(), do_spawn(4), do_join(4));
    SIM_THREAD(&p, do_write(0, 1));
    SIM_THREAD(&p, do_write(0, 2));
    sim_load(sim, &p, NULL, NULL);
    RUN(0, 0, 1, 1);
    assert_int_equal(sim->tid_of[3], 3);
    assert_int_equal(sim->tid_of[4], 4);
    for (uint64_t seed = 0; seed < 50; seed++) {
        sim_run(sim, &(struct rd_plan){.picker = RD_PICK_RANDOM, .seed = seed});
        assert_int_equal(sim->rec.out->verdict, RD_PASSED);
        assert_int_equal(sim->tid_of[3], 3);
        assert_int_equal(sim->tid_of[4], 4);
        assert_int_equal(sim->rec.threads[3].parent, 1);
        assert_int_equal(sim->rec.threads[4].parent, 2);
        assert_int_equal(sim->rec.threads[4].ordinal, 1);
    }
}

static void the_choice_of_a_waiter_is_a_step(void **state) {
    (void)state;
    struct sim_program p = {.name = "waiters"};
    enum { M, CV = 0 };
    for (int t = 0; t < 3; t++)
        SIM_THREAD(&p, do_lock(M), do_wait(CV, M), do_unlock(M));
    SIM_THREAD(&p, do_signal(CV));
    sim_load(sim, &p, NULL, NULL);
    for (uint16_t way = 0; way < 3; way++) {
        static const rd_tid tids[] = {1, 1, 2, 2, 3, 3, 4};
        for (int i = 0; i < 7; i++)
            sim->prefix[i] = (struct rd_choice){.pick = tids[i]};
        sim->prefix[7] = (struct rd_choice){.pick = way, .op = RD_OP_WAITER};
        sim_run(sim, &(struct rd_plan){.prefix_count = 8, .picker = RD_PICK_STAY});
        const struct rd_step *s = &sim->rec.steps[7];
        assert_int_equal(s->op, RD_OP_WAITER);
        assert_int_equal(s->tid, 4);
        assert_int_equal(s->value, way);
        assert_int_equal(s->ncand, 3);
        assert_int_equal(sim->rec.steps[8].tid, way + 1); /* the only enabled thread */
        assert_int_equal(sim->rec.out->steps, 10);
        assert_int_equal(sim->rec.out->finding.kind, RD_DEADLOCK); /* the other two wait for ever */
    }
}

static void only_blocking_operations_have_an_enabled_function(void **state) {
    (void)state;
    for (unsigned k = 0; k < RD_OP_KINDS; k++)
        assert_int_equal((rd_op_flags(k) & RD_F_BLOCKS) != 0, rd_models[k].enabled != NULL);
}

/*
 * The set of enabled threads needs more than one word of bits. All threads lock the same mutex and end one after
 * the other.
 */
static void many_threads_are_listed(void **state) {
    (void)state;
    enum { MANY = 150 };
    const struct rd_engine_limits limits = {.steps_max = 10000, .fair_after = 10000};
    const struct rd_op lock = {.kind = RD_OP_MUTEX_LOCK, .addr = 0x1000, .place = 0x1000};
    struct rd_op unlock = lock;
    struct rd_engine *e = &sim->engine;
    struct rd_result r;
    unlock.kind = RD_OP_MUTEX_UNLOCK;
    rd_arena_reset(&sim->arena);
    memset(sim->rec.out, 0, sizeof *sim->rec.out);
    rd_engine_begin(e, &sim->arena, &sim->rec, sim->paths, &sim->path_count);
    for (int i = 0; i < MANY; i++)
        rd_engine_instant(e, 0, &(struct rd_op){.kind = RD_OP_CREATE}, &r);
    rd_engine_finish_thread(e, 0);
    rd_engine_record(e, &(struct rd_plan){.picker = RD_PICK_LAST}, &limits);
    for (rd_tid t = 1; t <= MANY; t++)
        rd_engine_announce(e, t, &lock);
    for (uint32_t i = 0; i < MANY; i++) {
        rd_tid tid = rd_engine_next(e);
        sim_check(e);
        assert_int_equal(sim->rec.steps[2 * i].ncand, MANY - i);
        rd_engine_perform(e, tid, &r);
        rd_engine_announce(e, tid, &unlock);
        assert_int_equal(rd_engine_next(e), tid);
        sim_check(e);
        assert_int_equal(sim->rec.steps[2 * i + 1].ncand, 1);
        rd_engine_perform(e, tid, &r);
        rd_engine_finish_thread(e, tid);
    }
    assert_int_equal(rd_engine_next(e), RD_TID_NONE);
    assert_int_equal(sim->rec.out->verdict, RD_RUNNING); /* all threads have ended */
}

static bool is_plain(const struct rd_step *s) { return s->op == RD_OP_READ || s->op == RD_OP_WRITE; }

/*
 * The picker that follows an execution with fewer points: its operations in their order, and each access that it
 * does not have right behind the operation of the thread before it.
 */
static void additional_points_come_at_once(void **state) {
    (void)state;
    enum { A, B };
    struct sim_program p = {.name = "accesses between operations"};
    for (int t = 0; t < 3; t++)
        SIM_THREAD(&p, do_lock(0), do_write(A, t), do_read(B, 0), do_unlock(0), do_write(B, t), do_write(A, 1),
                   do_lock(1), do_unlock(1), do_read(A, 0));
    sim_load(sim, &p, NULL, NULL);
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct rd_choice all[SIM_STEPS_MAX], guide[SIM_STEPS_MAX];
        uint32_t count = 0, n = 0, accesses = 0;
        sim_run(sim, &(struct rd_plan){.picker = RD_PICK_RANDOM, .seed = seed});
        rd_choices_of_steps(all, sim->rec.steps, sim->rec.out->steps);
        for (uint32_t i = 0; i < sim->rec.out->steps; i++)
            if (!is_plain(&sim->rec.steps[i]))
                guide[count++] = all[i];
        memcpy(sim->prefix, guide, count * sizeof *guide);
        sim_run(sim, &(struct rd_plan){.picker = RD_PICK_FOLLOW, .a = count, .ask_always = 1});
        assert_int_equal(sim->rec.out->verdict, RD_PASSED);
        for (uint32_t i = 0; i < sim->rec.out->steps; i++) {
            const struct rd_step *s = &sim->rec.steps[i];
            accesses += is_plain(s);
            if (is_plain(s)) {
                assert_true(i && s[-1].tid == s->tid);
                continue;
            }
            assert_true(n < count && s->tid == guide[n].pick && s->op == guide[n].op && s->place == guide[n].place);
            n++;
        }
        assert_int_equal(n, count);
        assert_int_equal(accesses, 3 * 5);
    }
}

int test_engine(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_prefix_comes_before_the_picker),
        cmocka_unit_test(steps_record_candidates_and_switches),
        cmocka_unit_test(results_are_in_the_steps),
        cmocka_unit_test(fingerprints_cover_all_pending_operations),
        cmocka_unit_test(recorded_executions_replay),
        cmocka_unit_test(thread_numbers_do_not_depend_on_the_schedule),
        cmocka_unit_test(the_choice_of_a_waiter_is_a_step),
        cmocka_unit_test(only_blocking_operations_have_an_enabled_function),
        cmocka_unit_test(many_threads_are_listed),
        cmocka_unit_test(additional_points_come_at_once),
    };
    return cmocka_run_group_tests_name("engine", tests, open_sim, close_sim);
}
