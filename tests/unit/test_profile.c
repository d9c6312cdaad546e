/*
 * test_profile.c - the profile's table of heap blocks: sorted, one entry for each place, freed blocks are not
 * found; and the search that only profiles.
 */
#include "unit.h"

#include "sim_search.h"
#include "trace/place.h"
#include "trace/profile.h"

#include <stdlib.h>

static rd_place heap(uint64_t offset) { return rd_place_make(RD_PLACE_HEAP, offset); }

static void add(struct rd_profile *p, uint64_t at, uint64_t size, uint32_t ordinal) {
    assert_true(rd_profile_add_block(p, &(struct rd_block){.first = heap(at), .size = size, .ordinal = ordinal}));
}

static uint64_t found(const struct rd_profile *p, uint64_t at) {
    const struct rd_block *b = rd_profile_block(p, heap(at));
    return b ? rd_place_offset(b->first) : 0;
}

static void blocks_are_sorted(void **state) {
    (void)state;
    struct rd_profile *p = calloc(1, sizeof *p);
    for (uint32_t i = 0; i < 1000; i++) /* 7 and 1000 have no common factor: each block once, in mixed order */
        add(p, 0x1000 + (i * 7 % 1000) * 0x40, 0x20, i);
    assert_int_equal(p->block_count, 1000);
    for (uint32_t i = 1; i < p->block_count; i++)
        assert_true(p->blocks[p->block_order[i - 1]].first < p->blocks[p->block_order[i]].first);
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t first = 0x1000 + i * 0x40;
        unit_count("block", "its first byte", found(p, first), first);
        unit_count("block", "its last byte", found(p, first + 0x1f), first);
        unit_count("block", "behind it", found(p, first + 0x20), 0);
    }
    unit_count("block", "before all", found(p, 0xfff), 0);
    free(p);
}

static void same_place_again(void **state) {
    (void)state;
    struct rd_profile *p = calloc(1, sizeof *p);
    add(p, 0x100, 0x10, 1);
    p->blocks[0].elements = 3;
    add(p, 0x100, 0x30, 2);
    assert_int_equal(p->block_count, 1);
    assert_int_equal(p->blocks[0].ordinal, 2);
    assert_int_equal(p->blocks[0].elements, 3);
    unit_count("block", "its new end", found(p, 0x12f), 0x100);
    free(p);
}

/*
 * In another schedule the thread allocates other blocks at the same places: the old ones are gone until they are
 * allocated again.
 */
static void another_course(void **state) {
    (void)state;
    struct rd_profile *p = calloc(1, sizeof *p);
    add(p, 0x100, 0x40, 0);
    add(p, 0x160, 0x20, 0);
    add(p, 0x1a0, 0x20, 0);
    add(p, 0x130, 0x40, 0); /* overlaps the end of the first block and the start of the second */
    unit_count("block", "the first", found(p, 0x100), 0);
    unit_count("block", "the new one", found(p, 0x16f), 0x130);
    unit_count("block", "the second", found(p, 0x170), 0);
    unit_count("block", "the third", found(p, 0x1a0), 0x1a0);
    add(p, 0x100, 0x40, 0);
    unit_count("block", "the first again", found(p, 0x130), 0x100);
    unit_count("block", "the new one, gone", found(p, 0x140), 0);
    add(p, 0x80, 0x200, 0);
    unit_count("block", "one over all", found(p, 0x1b0), 0x80);
    assert_int_equal(p->block_count, 5);
    free(p);
}

static void full(void **state) {
    (void)state;
    struct rd_profile *p = calloc(1, sizeof *p);
    for (uint32_t i = 0; i < RD_BLOCKS_MAX; i++)
        add(p, 0x100 + i * 0x40ull, 0x20, 0);
    assert_int_equal(p->lost, 0);
    assert_false(rd_profile_add_block(p, &(struct rd_block){.first = heap(0x50), .size = 8}));
    assert_int_equal(p->lost, RD_LOST_BLOCKS);
    add(p, 0x100, 0x10, 7); /* a known block */
    rd_profile_forget(p, heap(0x150), 8);
    unit_count("block", "one that was forgotten", found(p, 0x140), 0);
    assert_false(rd_profile_add_block(p, &(struct rd_block){.first = heap(0x190), .size = 8}));
    unit_count("block", "one that something unknown overlaps", found(p, 0x180), 0);
    unit_count("block", "the last", found(p, 0x100 + (RD_BLOCKS_MAX - 1) * 0x40ull),
               0x100 + (RD_BLOCKS_MAX - 1) * 0x40ull);
    free(p);
}

/* Every access of every execution is counted; the accesses that follow an operation of the lock are points. */
static void profiles(void **state) {
    (void)state;
    struct sim_program p = {.name = "profile"};
    SIM_THREAD(&p, do_lock(0), do_read(0, 0), do_write(0, 1), do_unlock(0), do_write(1, 1));
    SIM_THREAD(&p, do_lock(0), do_read(0, 0), do_write(0, 1), do_unlock(0), do_write(1, 1));
    struct sim_search s = sim_search_open(&p, "profile", NULL);
    for (uint32_t i = 0; i < 3; i++)
        assert_true(sim_search_next(&s));
    const struct rd_profile *t = s.sim->rec.profile;
    const struct rd_var *x = rd_profile_var(t, sim_focus_var(0).first),
                        *y = rd_profile_var(t, sim_focus_var(1).first);
    assert_int_equal(t->executions, 3);
    assert_int_equal(s.sim->rec.out->steps, 8);
    assert_non_null(x);
    assert_non_null(y);
    unit_count("x", "reads", x->reads, 6);
    unit_count("x", "writes", x->writes, 6);
    unit_count("x", "threads", x->threads, 2);
    unit_count("x", "locks", x->lock_count, 1);
    unit_count("x", "its lock", x->locks[0], sim_focus_mutex(0).first);
    unit_count("y", "locks", y->lock_count, 0);
    sim_search_close(&s);
}

int test_profile(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_sorted), cmocka_unit_test(same_place_again),
        cmocka_unit_test(another_course),    cmocka_unit_test(full),
        cmocka_unit_test(profiles),
    };
    return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
