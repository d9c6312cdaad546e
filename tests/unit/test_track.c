/*
 * test_track.c - executions in which not every access is a point: tracked variables are found byte by byte, other
 * accesses happen without a step, and a profile contains which threads use which variable, how, and under which
 * lock.
 */
#include "unit.h"

#include "pick/pick.h"
#include "sim_programs.h"
#include "trace/place.h"
#include "trace/profile.h"
#include "trace/track.h"

#include <string.h>

#define M(offset) rd_place_make(RD_PLACE_MODULE, offset)
#define STACK(offset) rd_place_make(RD_PLACE_STACK + 1, offset)

static void pieces_are_found_byte_by_byte(void **state) {
    (void)state;
    const struct rd_track t[] = {{.first = M(16), .last = M(19), .var = 0},
                                 {.first = M(24), .last = M(24), .var = 1},
                                 {.first = M(32), .last = M(47)}};
    assert_null(rd_track_find(t, 3, M(12), 4));
    assert_ptr_equal(rd_track_find(t, 3, M(12), 5), &t[0]);
    assert_ptr_equal(rd_track_find(t, 3, M(19), 8), &t[0]);
    assert_null(rd_track_find(t, 3, M(20), 4));
    assert_ptr_equal(rd_track_find(t, 3, M(20), 5), &t[1]);
    assert_ptr_equal(rd_track_find(t, 3, M(24), 0), &t[1]);
    assert_null(rd_track_find(t, 3, M(25), 7));
    assert_ptr_equal(rd_track_find(t, 3, M(40), 1), &t[2]);
    assert_null(rd_track_find(t, 3, M(48), 8));
    assert_null(rd_track_find(t, 0, M(16), 4));
}

/* Places on a stack count from its top: the bytes after an address have smaller places. */
static void stacks_grow_down(void **state) {
    (void)state;
    struct rd_var v = {.first = STACK(0x40), .size = 8}; /* bytes 0x40 … 0x39 */
    struct rd_track t = rd_track_of_var(&v, 7);
    assert_true(t.first == STACK(0x39) && t.last == STACK(0x40) && t.var == 7);
    assert_non_null(rd_track_find(&t, 1, STACK(0x3c), 4));
    assert_non_null(rd_track_find(&t, 1, STACK(0x44), 8));
    assert_null(rd_track_find(&t, 1, STACK(0x44), 4));
    assert_null(rd_track_find(&t, 1, STACK(0x38), 4));
}

static void pieces_that_overlap_become_one(void **state) {
    (void)state;
    struct rd_track t[] = {{.first = M(40), .last = M(43), .var = 0},
                           {.first = M(8), .last = M(15), .var = 1},
                           {.first = M(12), .last = M(12), .var = 2},
                           {.first = M(15), .last = M(19), .var = 3},
                           {.first = M(20), .last = M(23), .var = 4}};
    assert_int_equal(rd_track_sort(t, 5), 3);
    assert_true(t[0].first == M(8) && t[0].last == M(19) && t[0].var == 1);
    assert_true(t[1].first == M(20) && t[1].var == 4 && t[2].first == M(40));
}

/* X is accessed under a lock in both threads, Y without one, Z by one thread alone. */
enum { X, Y, Z, LOCK = 1 };

static void three_variables(struct sim_program *p) {
    SIM_THREAD(p, do_lock(LOCK), do_read(X, 0), do_write(X, 1), do_unlock(LOCK), do_write(Y, 1), do_write(Z, 1),
               do_read(Z, 1));
    SIM_THREAD(p, do_lock(LOCK), do_read(X, 0), do_write(X, 2), do_unlock(LOCK), do_read(Y, 0));
}

static struct sim *run(void (*build)(struct sim_program *), struct rd_plan plan, const struct rd_track *track) {
    static struct sim_program p;
    struct sim *s = sim_open();
    p = (struct sim_program){.name = ""};
    build(&p);
    sim_load(s, &p, NULL, NULL);
    if (track)
        memcpy(s->track, track, plan.track_count * sizeof *track);
    sim_run(s, &plan);
    assert_int_equal(s->rec.out->verdict, RD_PASSED);
    return s;
}

static rd_place var(uint32_t i) { return M(0x10000 + 8 * i); }

static void a_profile_knows_users_and_locks(void **state) {
    (void)state;
    struct sim *s =
        run(three_variables, (struct rd_plan){.picker = RD_PICK_FIRST, .access_points = RD_ACCESSES_PROFILE}, NULL);
    const struct rd_profile *p = s->rec.profile;
    const struct rd_var *x = rd_profile_var(p, var(X)), *y = rd_profile_var(p, var(Y)),
                        *z = rd_profile_var(p, var(Z));
    assert_int_equal(p->executions, 1);
    assert_true(x && y && z);
    assert_true(x->reads == 2 && x->writes == 2 && x->threads == 2 && x->lock_count == 1);
    assert_true((x->flags & RD_VAR_SHARED) && (x->flags & RD_VAR_WRITTEN) && !(x->flags & RD_VAR_ATOMIC));
    assert_true(y->reads == 1 && y->writes == 1 && y->threads == 2 && y->lock_count == 0);
    assert_true((y->flags & RD_VAR_SHARED) && !(y->flags & RD_VAR_WRITTEN));
    assert_true(z->reads == 1 && z->writes == 1 && z->threads == 1 && !(z->flags & RD_VAR_SHARED));
    const struct rd_var *m = rd_profile_var(p, x->locks[0]);
    assert_true(m && (m->flags & RD_VAR_OBJECT) && m->threads == 2 && m->writes == 4);
    assert_int_equal(p->accesses, 8 + 4);
    assert_int_equal(s->rec.out->steps, 8); /* the operations of the lock, and the access after each */
    sim_close(s);
}

static void only_tracked_accesses_are_steps(void **state) {
    (void)state;
    struct rd_track y = {.first = var(Y), .last = var(Y) + 3};
    struct rd_plan plan = {.picker = RD_PICK_FIRST, .access_points = RD_ACCESSES_TRACKED, .track_count = 1};
    struct sim *s = run(three_variables, plan, &y);
    const struct rd_record *r = &s->rec;
    uint32_t memory = 0;
    for (uint32_t i = 0; i < r->out->steps; i++)
        memory += r->steps[i].op == RD_OP_READ || r->steps[i].op == RD_OP_WRITE;
    assert_int_equal(memory, 2);
    assert_int_equal(r->out->steps, 6);
    sim_close(s);
}

/* One thread waits in a loop on an untracked variable: the other thread must run. */
static int is_zero(const int *r) { return r[0] == 0; }

static void spin(struct sim_program *p) {
    SIM_THREAD(p, do_yield(), do_label(0), do_read(X, 0), do_if(is_zero, 0));
    SIM_THREAD(p, do_yield(), do_write(X, 1));
}

static void a_loop_on_an_untracked_variable_ends(void **state) {
    (void)state;
    struct rd_plan plan = {.picker = RD_PICK_STAY, .access_points = RD_ACCESSES_TRACKED};
    struct sim *s = run(spin, plan, NULL);
    assert_true(s->rec.out->steps < 10);
    sim_close(s);
    plan.access_points = RD_ACCESSES_PROFILE;
    s = run(spin, plan, NULL);
    assert_true(s->rec.out->steps < 10 && s->rec.profile->accesses > 1000);
    sim_close(s);
}

/* An array with many accessed elements is one variable, which inherits the knowledge about the elements. */
static void large_arrays_are_one_variable(void **state) {
    (void)state;
    struct sim *s =
        run(three_variables, (struct rd_plan){.access_points = RD_ACCESSES_PROFILE, .picker = RD_PICK_FIRST}, NULL);
    struct rd_profile *p = s->rec.profile;
    p->globals[0] = (struct rd_global){.first = M(0x50000), .size = 4000};
    p->global_count = 1;
    for (uint32_t i = 0; i < 100; i++) {
        struct rd_op op = {
            .kind = i % 2 ? RD_OP_READ : RD_OP_WRITE, .place = M(0x50000 + 4 * i), .size = 4, .pc = M(8)};
        s->engine.plan.access_points = RD_ACCESSES_PROFILE;
        rd_engine_access(&s->engine, (rd_tid)(1 + i / 90), &op);
    }
    const struct rd_var *a = rd_profile_var(p, M(0x50000 + 4 * 70));
    assert_true(a && a->first == M(0x50000) && a->size == 4000 && (a->flags & RD_VAR_WHOLE));
    assert_true(a->reads == 50 && a->writes == 50 && a->threads == 2 && (a->flags & RD_VAR_SHARED));
    assert_ptr_equal(rd_profile_var(p, M(0x50004)), a);
    const struct rd_site *site = rd_profile_site(p, M(8));
    assert_true(site && site->count == 100 && site->many);
    sim_close(s);
}

int test_track(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_found_byte_by_byte),   cmocka_unit_test(stacks_grow_down),
        cmocka_unit_test(pieces_that_overlap_become_one),  cmocka_unit_test(a_profile_knows_users_and_locks),
        cmocka_unit_test(only_tracked_accesses_are_steps), cmocka_unit_test(a_loop_on_an_untracked_variable_ends),
        cmocka_unit_test(large_arrays_are_one_variable),
    };
    return cmocka_run_group_tests_name("track", tests, NULL, NULL);
}
