/*
 * test_endings.c - how an execution ends: the fair tail, the step limit, the plan's cut, and deadlocks with the
 * threads that they are blamed on.
 */
#include "unit.h"

#include "sim_programs.h"
#include "unit_sim.h"
#include "trace/place.h"

enum { A, B, C };
enum { OUT, TOP };

static int r0(const int *r) { return r[0]; }

/* while (!x); against x = 1: no thread yields, so the fairness rule does not apply */
static struct sim_program blind_spin(bool ends) {
    struct sim_program p = {.name = "blind spin"};
    SIM_THREAD(&p, do_label(TOP), do_read(0, 0), do_if_zero(r0, TOP));
    SIM_THREAD(&p, do_write(ends ? 0 : 1, 1));
    return p;
}

static rd_place pc_of(unsigned thread, unsigned instr) {
    return rd_place_make(RD_PLACE_MODULE, 0x400000 + thread * 0x1000 + instr * 4);
}

static void too_many_steps_are_a_hang(void **state) {
    (void)state;
    struct sim_program p = blind_spin(true);
    sim_load(sim, &p, &(struct sim_options){.steps_max = 50}, NULL);
    sim_run(sim, &(struct rd_plan){.picker = RD_PICK_STAY});
    const struct rd_outcome *o = sim->rec.out;
    assert_int_equal(o->verdict, RD_FOUND);
    assert_int_equal(o->finding.kind, RD_HANG);
    assert_int_equal(o->finding.tid, 1);
    assert_int_equal(o->finding.pc, pc_of(0, 1));
    assert_int_equal(o->steps, 50);
    assert_int_equal(sim->rec.threads[1].enabled, 1); /* it is enabled at the end of the execution */
    assert_int_equal(rd_engine_next(&sim->engine), RD_TID_NONE);
}

/* The record is full before the engine can tell that no thread makes progress. */
static void a_full_record_is_a_limit(void **state) {
    (void)state;
    struct sim_program p = blind_spin(true);
    sim_load(sim, &p, NULL, NULL);
    sim->rec.steps_max = 20; /* less than the engine's limit of steps */
    sim_run(sim, &(struct rd_plan){.picker = RD_PICK_STAY});
    assert_int_equal(sim->rec.out->verdict, RD_CUT);
    assert_true(sim->rec.out->limited && sim->rec.out->steps < 20);
}

static void the_fair_tail_gives_every_thread_a_turn(void **state) {
    (void)state;
    struct sim_program p = blind_spin(true);
    sim_load(sim, &p, &(struct sim_options){.steps_max = 500, .fair_after = 20}, NULL);
    sim_run(sim, &(struct rd_plan){.picker = RD_PICK_STAY});
    const struct rd_outcome *o = sim->rec.out;
    assert_int_equal(o->verdict, RD_PASSED);
    assert_int_equal(o->fair_tail, 1);
    assert_int_equal(o->steps, 22); /* 20 reads, the write, one more read */
    for (uint32_t i = 0; i < o->steps; i++)
        assert_int_equal((sim->rec.steps[i].flags & RD_STEP_FORCED) != 0, i >= 20);
    assert_int_equal(sim->rec.steps[20].tid, 2);
}

/* The search does not branch in the fair tail: the write comes after 0, 1, … 19 reads, or in the tail. */
static void the_fair_tail_makes_the_search_finite(void **state) {
    (void)state;
    struct sim_program p = blind_spin(true);
    struct sim_options o = {.fair_after = 20};
    struct sim_result r, all;
    sim_explore(&p, "dfs", &o, &r);
    unit_count(p.name, "executions", r.executions, 21);
    unit_count(p.name, "ok", r.ok, 21);
    unit_count(p.name, "fair tails", r.fair_tails, 1);
    assert_true(r.complete);
    sim_enumerate(&p, &o, &all);
    assert_true(all.schedule_sum == r.schedule_sum);
}

static void an_endless_spin_hangs_in_the_tail(void **state) {
    (void)state;
    struct sim_program p = blind_spin(false);
    struct sim_options o = {.fair_after = 20, .steps_max = 60};
    struct sim_result r;
    sim_explore(&p, "dfs", &o, &r);
    unit_count(p.name, "executions", r.executions, 21);
    unit_count(p.name, "hangs", r.hangs, 21);
}

/* Which waiter is woken is not a choice in the fair tail either. */
static void choices_of_waiters_in_the_tail_are_forced(void **state) {
    (void)state;
    struct sim_program p = {.name = "waiters in the tail"};
    for (int t = 0; t < 3; t++)
        SIM_THREAD(&p, do_lock(A), do_wait(A, A), do_unlock(A));
    SIM_THREAD(&p, do_signal(A), do_signal(A), do_signal(A));
    struct sim_options o = {.fair_after = 1};
    sim_load(sim, &p, &o, NULL);
    static const rd_tid sleep_then_signal[] = {1, 1, 2, 2, 3, 3, 4};
    sim_run_threads(sim, sleep_then_signal, 7);
    const struct rd_step *s = &sim->rec.steps[7];
    assert_int_equal(s->op, RD_OP_WAITER);
    assert_int_equal(s->flags & RD_STEP_FORCED, RD_STEP_FORCED);
    assert_int_equal(s->value, 0);
    assert_int_equal(sim->rec.out->fair_tail, 1);
    struct sim_result r, all;
    sim_explore(&p, "dfs", &o, &r);
    unit_count(p.name, "executions", r.executions, 4); /* only the first step is a choice */
    sim_enumerate(&p, &o, &all);
    assert_true(all.schedule_sum == r.schedule_sum);
}

static void a_plan_can_cut_the_execution(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_independent, 2, 3);
    sim_load(sim, &p, NULL, NULL);
    sim_run(sim, &(struct rd_plan){.picker = RD_PICK_STAY, .steps_max_cut = 4});
    assert_int_equal(sim->rec.out->verdict, RD_CUT);
    assert_int_equal(sim->rec.out->steps, 4);
    sim_run(sim, &(struct rd_plan){.picker = RD_PICK_STAY, .steps_max_cut = 6});
    assert_int_equal(sim->rec.out->verdict, RD_PASSED);
}

static void a_deadlock_names_a_thread_of_the_cycle(void **state) {
    (void)state;
    struct sim_program p = {.name = "cycle and a bystander"};
    SIM_THREAD(&p, do_lock(A), do_unlock(A)); /* blocked, but blocks no other thread */
    SIM_THREAD(&p, do_lock(A), do_lock(B), do_unlock(B), do_unlock(A));
    SIM_THREAD(&p, do_lock(B), do_lock(A), do_unlock(A), do_unlock(B));
    sim_load(sim, &p, NULL, NULL);
    sim_run_threads(sim, (rd_tid[]){2, 3}, 2);
    const struct rd_outcome *o = sim->rec.out;
    const struct rd_thread_info *t = sim->rec.threads;
    assert_int_equal(o->verdict, RD_FOUND);
    assert_int_equal(o->finding.kind, RD_DEADLOCK);
    assert_int_equal(o->finding.tid, 2);
    assert_int_equal(o->finding.pc, pc_of(1, 1));
    assert_int_equal(o->steps, 2);
    static const rd_tid holder[] = {RD_TID_NONE, 2, 3, 2};
    static const uint32_t held_step[] = {0, 1, 2, 1}; /* index + 1 of the step that took the lock */
    for (int i = 1; i <= 3; i++) {
        assert_int_equal(t[i].state, RD_T_READY);
        assert_int_equal(t[i].enabled, 0);
        assert_int_equal(t[i].pending.kind, RD_OP_MUTEX_LOCK);
        assert_int_equal(t[i].holder, holder[i]);
        assert_int_equal(t[i].held_step, held_step[i]);
        assert_int_equal(t[i].held_pc, pc_of(holder[i] - 1, 0));
        assert_int_equal(t[i].parent, 0);
        assert_int_equal(t[i].ordinal, i);
    }
    assert_int_equal(t[0].state, RD_T_FINISHED);
    assert_int_equal(o->threads, 4);
}

static uint64_t deadlock_key(struct sim_program *p, const rd_tid *tids, uint32_t count) {
    sim_load(sim, p, NULL, NULL);
    sim_run_threads(sim, tids, count);
    assert_int_equal(sim->rec.out->finding.kind, RD_DEADLOCK);
    return sim->rec.out->finding.key;
}

static void deadlocks_at_the_same_places_are_the_same(void **state) {
    (void)state;
    struct sim_program abba = sim_make(sim_abba, 0, 0), three = sim_make(sim_philosophers, 3, 0);
    uint64_t key = deadlock_key(&abba, (rd_tid[]){1, 2}, 2);
    assert_true(deadlock_key(&abba, (rd_tid[]){2, 1}, 2) == key);
    assert_true(deadlock_key(&three, (rd_tid[]){1, 2, 3}, 3) != key);
    assert_int_equal(sim->rec.out->finding.tid, 1);
}

static void locking_twice_is_a_deadlock_with_oneself(void **state) {
    (void)state;
    struct sim_program p = {.name = "relock"};
    SIM_THREAD(&p, do_write(0, 1));
    SIM_THREAD(&p, do_lock(A), do_lock(A));
    sim_load(sim, &p, NULL, NULL);
    sim_run_threads(sim, (rd_tid[]){2, 1}, 2);
    assert_int_equal(sim->rec.out->finding.kind, RD_DEADLOCK);
    assert_int_equal(sim->rec.out->finding.tid, 2);
    assert_int_equal(sim->rec.threads[2].holder, 2);
    assert_int_equal(sim->rec.threads[1].state, RD_T_FINISHED);
}

static void a_lost_signal_has_no_holder(void **state) {
    (void)state;
    struct sim_program p = {.name = "lost signal"};
    SIM_THREAD(&p, do_signal(A));
    SIM_THREAD(&p, do_lock(A), do_wait(A, A), do_unlock(A));
    sim_load(sim, &p, NULL, NULL);
    sim_run(sim, &(struct rd_plan){.picker = RD_PICK_STAY});
    assert_int_equal(sim->rec.out->finding.kind, RD_DEADLOCK);
    assert_int_equal(sim->rec.out->finding.tid, 2);
    assert_int_equal(sim->rec.threads[2].pending.kind, RD_OP_COND_WAKE);
    assert_int_equal(sim->rec.threads[2].holder, RD_TID_NONE);
    struct sim_result r;
    sim_explore(&p, "dfs", NULL, &r);
    unit_count(p.name, "ok", r.ok, 1); /* the waiter locks and waits before the signal */
    unit_count(p.name, "deadlocks", r.deadlocks, 2);
    sim_explore(&p, "dfs", &(struct sim_options){.spurious = 1},
                &r); /* a wake-up that may also not come hides no deadlock */
    unit_count(p.name, "deadlocks with a spurious wake", r.deadlocks, 2);
    assert_true(r.ok > 1); /* and an execution in which it comes has no deadlock */
}

static void a_mutex_held_by_a_finished_thread_blocks(void **state) {
    (void)state;
    struct sim_program p = {.name = "forgotten unlock"};
    SIM_THREAD(&p, do_lock(A));
    SIM_THREAD(&p, do_lock(A));
    sim_load(sim, &p, NULL, NULL);
    sim_run(sim, &(struct rd_plan){.picker = RD_PICK_STAY});
    assert_int_equal(sim->rec.out->finding.kind, RD_DEADLOCK);
    assert_int_equal(sim->rec.out->finding.tid, 2);
    assert_int_equal(sim->rec.threads[2].holder, 1);
    assert_int_equal(sim->rec.threads[1].state, RD_T_FINISHED);
}

int test_endings(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_many_steps_are_a_hang),
        cmocka_unit_test(a_full_record_is_a_limit),
        cmocka_unit_test(the_fair_tail_gives_every_thread_a_turn),
        cmocka_unit_test(the_fair_tail_makes_the_search_finite),
        cmocka_unit_test(an_endless_spin_hangs_in_the_tail),
        cmocka_unit_test(choices_of_waiters_in_the_tail_are_forced),
        cmocka_unit_test(a_plan_can_cut_the_execution),
        cmocka_unit_test(a_deadlock_names_a_thread_of_the_cycle),
        cmocka_unit_test(deadlocks_at_the_same_places_are_the_same),
        cmocka_unit_test(locking_twice_is_a_deadlock_with_oneself),
        cmocka_unit_test(a_lost_signal_has_no_holder),
        cmocka_unit_test(a_mutex_held_by_a_finished_thread_blocks),
    };
    return cmocka_run_group_tests_name("endings", tests, open_sim, close_sim);
}
