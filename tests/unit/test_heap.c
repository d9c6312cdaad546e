/*
 * test_heap.c - the heap's shadow memory, the events that a free depends on, and frees as the race detector sees
 * them.
 */
#include "unit.h"

#include "sim.h"

#include "base/rng.h"
#include "base/shadow.h"
#include "detect/detect.h"
#include "trace/event.h"
#include "trace/place.h"

#include <string.h>

#define H(offset) rd_place_make(RD_PLACE_HEAP, offset)
#define M(offset) rd_place_make(RD_PLACE_MODULE, offset)

enum { BYTES = 4096 };

/* Compares the shadow with the truth, byte by byte. */
static void check_all(const uint8_t *s, const uint8_t *usable) {
    for (uint64_t at = 0; at < BYTES; at++)
        for (uint64_t count = 1; count < 40 && at + count <= BYTES; count += 3) {
            uint64_t n = 0;
            while (n < count && usable[at + n])
                n++;
            assert_int_equal(rd_shadow_usable(s, at, count), n);
        }
}

static void blocks_of_every_size(void **state) {
    (void)state;
    for (uint64_t asked = 0; asked <= 70; asked++) {
        if (!unit_takes(asked, 3))
            continue;
        uint8_t s[BYTES / RD_GRANULE] = {0}, usable[BYTES];
        uint64_t size = (RD_MAX(asked, (uint64_t)1) + 15) / 16 * 16;
        struct rd_shadow_block b = {.at = 512, .asked = asked, .size = size, .head = 48, .zone = 16};
        memset(usable, 1, sizeof usable);
        memset(usable + b.at - b.head, 0, b.head + size + b.zone);
        memset(usable + b.at, 1, asked);
        rd_shadow_make(s, &b);
        check_all(s, usable);
        assert_int_equal(rd_shadow_block_before(s, b.at, 0), b.at);
        assert_int_equal(rd_shadow_block_before(s, b.at + size, 10), b.at);
        assert_true(rd_shadow_block_before(s, b.at - 1, 100) == UINT64_MAX);

        rd_shadow_free(s, &b);
        memset(usable + b.at, 0, asked);
        check_all(s, usable);

        b.asked = size; /* the next block at this address has the largest possible size */
        b.reused = true;
        rd_shadow_make(s, &b);
        memset(usable + b.at, 1, size);
        check_all(s, usable);
    }
}

/* The table of large freed blocks against a bitmap. */
static void large_blocks_that_are_gone(void **state) {
    (void)state;
    enum { UNITS = 600, ROUNDS = 3000 };
    static struct rd_freed_blocks g;
    static uint64_t owner[UNITS]; /* by address: the block + 1, or 0 */
    struct rd_rng rng = {.state = 11};
    g.count = 0;
    memset(owner, 0, sizeof owner);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint64_t at = rd_rng_below(&rng, UNITS), size = 1 + rd_rng_below(&rng, 4), n = 0;
        while (n < size && at + n < UNITS && !owner[at + n])
            n++;
        if (owner[at]) {
            uint64_t block = owner[at] - 1;
            rd_freed_blocks_remove(&g, block);
            for (uint64_t k = block; k < UNITS && owner[k] == block + 1; k++)
                owner[k] = 0;
        } else if (rd_freed_blocks_add(&g, at, n)) {
            for (uint64_t k = at; k < at + n; k++)
                owner[k] = at + 1;
        } else {
            assert_int_equal(g.count, RD_FREED_BLOCKS_MAX);
        }
        uint64_t from = rd_rng_below(&rng, UNITS), count = 1 + rd_rng_below(&rng, 6), want = UINT64_MAX;
        for (uint64_t k = from; k < RD_MIN(from + count, (uint64_t)UNITS) && want == UINT64_MAX; k++)
            want = owner[k] ? owner[k] - 1 : UINT64_MAX;
        assert_true(rd_freed_blocks_find(&g, from, count) == want);
    }
}

/* ---- dependence ---- */

static bool depends(struct rd_step a, struct rd_step b) {
    a.tid = 1;
    b.tid = 2;
    struct rd_event x = rd_event_of_step(&a), y = rd_event_of_step(&b);
    assert_int_equal(rd_event_dependent(&x, &y), rd_event_dependent(&y, &x));
    return rd_event_dependent(&x, &y);
}

static void a_free_depends_on_objects_in_the_block(void **state) {
    (void)state;
    struct rd_step block = {.op = RD_OP_FREE, .place = H(0x100), .size = 64};
    struct rd_step read = {.op = RD_OP_READ, .place = H(0x13c), .size = 4};
    struct rd_step lock = {.op = RD_OP_MUTEX_LOCK, .place = H(0x110)};
    struct rd_step wait = {.op = RD_OP_COND_WAIT, .place = M(8), .value = H(0x110), .flags = RD_STEP_VALUE2};
    struct rd_step wake = {.op = RD_OP_COND_WAKE, .place = H(0x110), .value = M(8), .flags = RD_STEP_VALUE2};
    assert_true(depends(block, read) && depends(block, lock) && depends(block, wait));
    assert_true(depends(block, block));
    assert_false(depends(block, wake)); /* a woken thread does not touch the condition */
    read.place = H(0x140);
    lock.place = H(0x140);
    assert_false(depends(block, read) || depends(block, lock));
    lock.place = M(0x110);
    assert_false(depends(block, lock));
    /* The heap objects themselves are as independent of each other as elsewhere. */
    struct rd_step one = {.op = RD_OP_SEM_POST, .place = H(0x10)}, other = {.op = RD_OP_SEM_POST, .place = H(0x10)};
    assert_false(depends(one, other));
    /* The two places are too far apart for one event. */
    wait.place = H(0x9000);
    assert_true(depends(wait, (struct rd_step){.op = RD_OP_FREE, .place = H(0x8ff0), .size = 64}));
}

/* ---- races ---- */

static bool races(struct rd_step *steps, uint32_t count, struct rd_finding *f) {
    static char memory[1 << 20];
    struct rd_arena arena;
    struct rd_outcome out = {.steps = count, .threads = 3};
    struct rd_record r = {.out = &out, .steps = steps};
    for (uint32_t i = 0; i < count; i++)
        steps[i].pc = M(0x1000 + 4 * i);
    rd_arena_init(&arena, memory, sizeof memory);
    return rd_detect_race(&arena, &r, NULL, f);
}

#define READ(t, at) \
    { .tid = (t), .op = RD_OP_READ, .place = H(at), .size = 4 }
#define WRITE(t, at) \
    { .tid = (t), .op = RD_OP_WRITE, .place = H(at), .size = 4 }
#define FREE(t, at, bytes) \
    { .tid = (t), .op = RD_OP_FREE, .place = H(at), .size = (bytes) }
#define LOCK(t, at) \
    { .tid = (t), .op = RD_OP_MUTEX_LOCK, .place = H(at) }
#define UNLOCK(t, at) \
    { .tid = (t), .op = RD_OP_MUTEX_UNLOCK, .place = H(at) }

static void a_free_races_with_unordered_accesses(void **state) {
    (void)state;
    struct rd_finding f;
    struct rd_step read[] = {READ(1, 0x108), FREE(2, 0x100, 16)};
    assert_true(races(read, 2, &f) && f.step == 2 && f.other_step == 1);
    assert_non_null(strstr(f.message, "free of memory that another thread reads"));
    struct rd_step beside[] = {READ(1, 0x110), FREE(2, 0x100, 16)};
    assert_false(races(beside, 2, &f));
    struct rd_step large[] = {WRITE(1, 0x90000), READ(1, 0x200000), FREE(2, 0x100, 1 << 20)};
    assert_true(races(large, 3, &f) && f.other_step == 1);
    struct rd_step unseen[] = {READ(1, 0x108), FREE(2, 0x100, 16), WRITE(0, 0x108)};
    unseen[1].order = RD_ACCESS_UNSEEN;
    assert_false(races(unseen, 3, &f));
    struct rd_step ordered[] = {LOCK(1, 0x800), READ(1, 0x108), UNLOCK(1, 0x800), LOCK(2, 0x800),
                                FREE(2, 0x100, 16)};
    assert_false(races(ordered, 5, &f));
}

static void the_use_of_an_object_races_with_its_free_only(void **state) {
    (void)state;
    struct rd_finding f;
    struct rd_step lock[] = {LOCK(1, 0x100), UNLOCK(1, 0x100), FREE(2, 0x100, 64)};
    assert_true(races(lock, 3, &f) && f.step == 3);
    assert_non_null(strstr(f.message, "free of memory that another thread uses"));
    struct rd_step last[] = {LOCK(1, 0x100), UNLOCK(1, 0x100), LOCK(2, 0x100), UNLOCK(2, 0x100),
                             FREE(2, 0x100, 64)};
    assert_false(races(last, 5, &f));
    struct rd_step write[] = {WRITE(1, 0x100), LOCK(2, 0x100)};
    assert_false(races(write, 2, &f));
}

static void the_next_block_there_is_another_one(void **state) {
    (void)state;
    struct rd_finding f;
    struct rd_step steps[] = {LOCK(1, 0x800), WRITE(1, 0x108),    UNLOCK(1, 0x800),
                              LOCK(2, 0x800), FREE(2, 0x100, 16), WRITE(0, 0x108)};
    assert_false(races(steps, 6, &f));
    steps[4].place = H(0x180);
    assert_true(races(steps, 6, &f));
}

/* ---- searches ---- */

/* Every place of a free among three uses of the block: of the variable and of the mutex in it. */
static void a_free_is_searched_against_every_use(void **state) {
    (void)state;
    struct sim_program p = {.name = "free"};
    SIM_THREAD(&p, do_read(0, 0), do_free(0));
    SIM_THREAD(&p, do_read(SIM_BLOCK_VAR, 0), do_lock(SIM_BLOCK_MUTEX), do_unlock(SIM_BLOCK_MUTEX));
    struct sim_result all, r;
    sim_enumerate(&p, NULL, &all);
    /*
     * Passing schedules have the other read before the free: 4 if it ends there. Failing ones end at the bad use: 1
     * + 2
     * + 3.
     */
    assert_true(all.ok == 4 && all.others == 6 && all.classes == 4);
    static const char *const searches[] = {"dpor", "dpor:optimal", "bpor:c=3"};
    for (unsigned i = 0; i < RD_COUNT(searches); i++) {
        sim_explore(&p, searches[i], NULL, &r);
        assert_true(r.complete);
        assert_int_equal(r.classes, 4);
        assert_int_equal(r.failing_classes, 3);
    }
}

int test_heap(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_every_size),
        cmocka_unit_test(large_blocks_that_are_gone),
        cmocka_unit_test(a_free_depends_on_objects_in_the_block),
        cmocka_unit_test(a_free_races_with_unordered_accesses),
        cmocka_unit_test(the_use_of_an_object_races_with_its_free_only),
        cmocka_unit_test(the_next_block_there_is_another_one),
        cmocka_unit_test(a_free_is_searched_against_every_use),
    };
    return cmocka_run_group_tests_name("heap", tests, NULL, NULL);
}
