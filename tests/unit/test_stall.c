/*
 * test_stall.c - long executions (engine/stall.h): threads that make progress are explored as before; threads that
 * only wait give the others their turn until a new state appears.
 */
#include "unit.h"

#include "sim_programs.h"
#include "unit_sim.h"

enum { X, Y, Z, TOP = 0, SECOND };
enum { STEPS = SIM_STEPS_MAX - 10, AFTER = 64 };

static int r0(const int *r) { return r[0]; }
static int r1_below(const int *r) { return r[1] < 150; }
static int r1_plus_1(const int *r) { return r[1] + 1; }

static const struct rd_outcome *run(const struct sim_program *p, bool loops, enum rd_picker_index picker) {
    struct sim_options o = {.loops = loops, .steps_max = STEPS, .fair_after = STEPS, .stalled_after = AFTER};
    sim_load(sim, p, &o, NULL);
    sim_run(sim, &(struct rd_plan){.picker = picker, .seed = 1});
    return sim->rec.out;
}

static uint32_t forced(uint32_t from, uint32_t to) {
    uint32_t n = 0;
    for (uint32_t i = from; i < to; i++)
        n += (sim->rec.steps[i].flags & RD_STEP_FORCED) != 0;
    return n;
}

/* for (r1 = 0; r1 < 150; r1++) x = r1; by two threads, each on its own variable. */
static void computing_is_explored(void **state) {
    (void)state;
    struct sim_program p = {.name = "compute"};
    for (uint8_t t = 0; t < 2; t++)
        SIM_THREAD(&p, do_label(TOP), do_write_fn(t, r1_plus_1), do_set(1, r1_plus_1), do_if(r1_below, TOP));
    for (int loops = 0; loops < 2; loops++) {
        const struct rd_outcome *o = run(&p, loops, RD_PICK_STAY);
        assert_int_equal(o->verdict, RD_PASSED);
        assert_int_equal(o->steps, 300);
        /* Without a local state this cannot be told from a loop that waits. */
        assert_int_equal(o->fair_tail, !loops);
        assert_true(forced(0, AFTER) == 0 && (forced(AFTER, o->steps) > 0) == !loops);
    }
}

/*
 * T1 waits for x in a loop that changes a variable and changes it back, T2 would write x; then T1 computes. The
 * execution is stalled after AFTER steps; when it has made progress for as long again, no choice is forced any
 * more.
 */
static void turns_end_at_a_new_state(void **state) {
    (void)state;
    struct sim_program p = {.name = "wait, then compute"};
    SIM_THREAD(&p, do_label(TOP), do_write(Z, 1), do_write(Z, 0), do_read(X, 0), do_if_zero(r0, TOP),
               do_label(SECOND), do_write_fn(Y, r1_plus_1), do_set(1, r1_plus_1), do_if(r1_below, SECOND));
    SIM_THREAD(&p, do_write(X, 1));
    const struct rd_outcome *o = run(&p, true, RD_PICK_STAY);
    assert_int_equal(o->verdict, RD_PASSED);
    assert_int_equal(o->fair_tail, 1);
    assert_int_equal(forced(0, AFTER), 0);
    assert_int_equal(forced(AFTER, 2 * AFTER), AFTER);
    assert_true(o->steps > 3 * AFTER);
    assert_int_equal(forced(2 * AFTER + AFTER / 4, o->steps), 0);
}

static void a_thread_that_waits_alone_hangs(void **state) {
    (void)state;
    struct sim_program p = {.name = "nobody sets it"};
    SIM_THREAD(&p, do_label(TOP), do_read(X, 0), do_if_zero(r0, TOP));
    SIM_THREAD(&p, do_write(Y, 1));
    static const enum rd_picker_index pickers[] = {RD_PICK_STAY, RD_PICK_RANDOM, RD_PICK_LAST};
    for (uint32_t i = 0; i < RD_COUNT(pickers); i++) {
        const struct rd_outcome *o = run(&p, false, pickers[i]);
        assert_int_equal(o->verdict, RD_FOUND);
        assert_int_equal(o->finding.kind, RD_HANG);
    }
}

int test_stall(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(computing_is_explored, open_sim, close_sim),
        cmocka_unit_test_setup_teardown(turns_end_at_a_new_state, open_sim, close_sim),
        cmocka_unit_test_setup_teardown(a_thread_that_waits_alone_hangs, open_sim, close_sim),
    };
    return cmocka_run_group_tests_name("long executions", tests, NULL, NULL);
}
