/*
 * test_team_op.c - operations of an OpenMP team: the model asks the runtime in how many ways an operation can
 * happen now. An operation depends on others of the object that it names and of the second object, and on no
 * others.
 */
#include "unit.h"

#include "trace/event.h"
#include "unit_world.h"

static uint32_t ways[4];

static uint32_t ask(rd_tid tid) { return ways[tid]; }

static struct unit_world u;
static const struct rd_op take = {.kind = RD_OP_TEAM, .addr = 64};

static void the_model_asks(void **state) {
    (void)state;
    struct rd_world *w = unit_world_new(&u);
    assert_true(unit_can(w, 0, take)); /* no callback: the operation is enabled */
    assert_int_equal(unit_ways(w, 0, take), 1);
    w->team = ask;
    assert_false(unit_can(w, 0, take));
    ways[0] = 3;
    assert_true(unit_can(w, 0, take));
    assert_int_equal(unit_ways(w, 0, take), 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(unit_do_way(w, 0, take, i).value, i);
}

static bool depend(struct rd_op a, struct rd_op b) {
    struct rd_event x = rd_event_of_op(0, &a, RD_TID_NONE), y = rd_event_of_op(1, &b, RD_TID_NONE);
    return rd_event_dependent(&x, &y);
}

static void dependent_operations(void **state) {
    (void)state;
    struct rd_op two = {.kind = RD_OP_TEAM, .addr = 64, .addr2 = 128}, other = {.kind = RD_OP_TEAM, .addr = 128};
    struct rd_op release = {.kind = RD_OP_RELEASE, .addr = 128};
    assert_true(depend(take, take));
    assert_true(depend(take, two));
    assert_true(depend(two, other));
    assert_true(depend(two, release)); /* an arrival, and a thread that waits for it */
    assert_true(depend(other, release));
    assert_false(depend(take, other));
    assert_false(depend(take, release));
    assert_false(depend(release, release)); /* arrivals are counted in any order */
}

int test_team_op(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_model_asks),
        cmocka_unit_test(dependent_operations),
    };
    return cmocka_run_group_tests_name("operations of a team", tests, NULL, NULL);
}
