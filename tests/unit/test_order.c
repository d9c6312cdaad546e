/*
 * test_order.c - the hash of the happens-before class: equal exactly when one sequence of events can be turned into
 * the other by swapping neighbours that commute.
 */
#include "unit.h"

#include "base/rng.h"
#include "trace/hb_class.h"

#include <string.h>

struct event {
    rd_tid tid;
    struct rd_op op;
    rd_tid other;
};

static struct event mem(rd_tid tid, unsigned kind, uint64_t addr, uint32_t size) {
    return (struct event){tid, {.kind = (uint8_t)kind, .addr = addr, .place = addr, .size = size}, RD_TID_NONE};
}
static struct event sync2(rd_tid tid, unsigned kind, uint64_t addr, uint64_t addr2) {
    return (struct event){tid, {.kind = (uint8_t)kind, .addr = addr, .place = addr, .addr2 = addr2}, RD_TID_NONE};
}
static struct event thread(rd_tid tid, unsigned kind, rd_tid other) {
    return (struct event){tid, {.kind = (uint8_t)kind}, other};
}
#define READ(t, x) mem(t, RD_OP_READ, x, 4)
#define WRITE(t, x) mem(t, RD_OP_WRITE, x, 4)
#define LOCK(t, m) sync2(t, RD_OP_MUTEX_LOCK, m, 0)
#define UNLOCK(t, m) sync2(t, RD_OP_MUTEX_UNLOCK, m, 0)
enum { X = 0x1000, Y = 0x1008, M = 0x2000, N = 0x2040, CV = 0x3000 };

static _Alignas(16) char region[1 << 18];

static void hash(const struct event *e, size_t n, uint64_t to[2]) {
    struct rd_arena a;
    struct rd_hb_class o;
    rd_arena_init(&a, region, sizeof region);
    rd_hb_class_init(&o, &a);
    for (size_t i = 0; i < n; i++)
        unit_order(&o, e[i].tid, &e[i].op, e[i].other);
    memcpy(to, o.hash, sizeof o.hash);
}

/* Whether the class is the same with events i and i + 1 swapped. Both halves of the hash must agree. */
static bool commute(const struct event *e, size_t n, size_t i) {
    struct event swapped[16];
    uint64_t a[2], b[2];
    memcpy(swapped, e, n * sizeof *e);
    swapped[i] = e[i + 1];
    swapped[i + 1] = e[i];
    hash(e, n, a);
    hash(swapped, n, b);
    assert_int_equal(a[0] == b[0], a[1] == b[1]);
    return a[0] == b[0];
}
#define COMMUTE(a, b) commute((struct event[]){a, b}, 2, 0)

static void accesses_conflict_when_one_writes(void **state) {
    (void)state;
    assert_true(COMMUTE(READ(1, X), READ(2, X)));
    assert_false(COMMUTE(READ(1, X), WRITE(2, X)));
    assert_false(COMMUTE(WRITE(1, X), READ(2, X)));
    assert_false(COMMUTE(WRITE(1, X), WRITE(2, X)));
    assert_true(COMMUTE(WRITE(1, X), WRITE(2, Y)));
    assert_false(COMMUTE(mem(1, RD_OP_ATOMIC_RMW, X, 4), READ(2, X)));
    assert_true(COMMUTE(mem(1, RD_OP_ATOMIC_LOAD, X, 4), READ(2, X)));
}

static void accesses_conflict_byte_by_byte(void **state) {
    (void)state;
    unsigned w = RD_OP_WRITE, r = RD_OP_READ;
    assert_true(COMMUTE(mem(1, w, X, 4), mem(2, w, X + 4, 4)));
    assert_false(COMMUTE(mem(1, w, X, 8), mem(2, w, X + 7, 1)));
    assert_false(COMMUTE(mem(1, w, X, 8), mem(2, r, X + 3, 2)));
    assert_true(COMMUTE(mem(1, w, X, 3), mem(2, r, X + 3, 2)));
    /* Across a boundary of eight bytes, and over many of them. */
    assert_false(COMMUTE(mem(1, w, X + 6, 4), mem(2, r, X + 8, 1)));
    assert_true(COMMUTE(mem(1, w, X + 6, 2), mem(2, r, X + 8, 1)));
    assert_false(COMMUTE(mem(1, w, X, 100), mem(2, r, X + 99, 1)));
    assert_true(COMMUTE(mem(1, w, X, 100), mem(2, r, X + 100, 1)));
}

static void objects_order_all_their_operations(void **state) {
    (void)state;
    assert_false(COMMUTE(LOCK(1, M), LOCK(2, M)));
    assert_true(COMMUTE(LOCK(1, M), LOCK(2, N)));
    assert_false(COMMUTE(sync2(1, RD_OP_MUTEX_TRYLOCK, M, 0), UNLOCK(2, M)));
    assert_false(COMMUTE(sync2(1, RD_OP_COND_WAIT, CV, M), LOCK(2, M)));
    assert_false(COMMUTE(sync2(1, RD_OP_COND_WAIT, CV, M), sync2(2, RD_OP_COND_SIGNAL, CV, 0)));
    assert_true(COMMUTE(sync2(1, RD_OP_COND_WAIT, CV, M), LOCK(2, N)));
    assert_true(COMMUTE(sync2(1, RD_OP_YIELD, 0, 0), sync2(2, RD_OP_YIELD, 0, 0)));
    assert_true(COMMUTE(LOCK(1, X), WRITE(2, X))); /* an object and the memory at its address are separate */
}

/*
 * Timed operations move the clock to their deadlines, so an operation that adds to the clock in between does not
 * commute.
 */
static void deadlines_are_about_the_object_and_the_clock(void **state) {
    (void)state;
    struct event timed = LOCK(1, M), other = LOCK(2, N), same = UNLOCK(2, M);
    timed.op.deadline = other.op.deadline = 10;
    assert_true(COMMUTE(timed, other));
    assert_true(COMMUTE(timed, WRITE(2, X)));
    assert_true(COMMUTE(timed, UNLOCK(2, N)));
    assert_false(COMMUTE(timed, same));
    assert_false(COMMUTE(timed, sync2(2, RD_OP_SLEEP, 0, 0)));
    assert_false(COMMUTE(sync2(2, RD_OP_YIELD, 0, 0), timed));
    assert_true(COMMUTE(sync2(1, RD_OP_SLEEP, 0, 0), sync2(2, RD_OP_YIELD, 0, 0)));
    assert_true(COMMUTE(LOCK(1, M), sync2(2, RD_OP_SLEEP, 0, 0)));
    timed.op.order = RD_ACCESS_WIDE; /* the wait can time out only when no other thread is enabled */
    assert_false(COMMUTE(timed, WRITE(2, X)));
}

static void threads_order_their_parents_and_joiners(void **state) {
    (void)state;
    /*
     * The parent's events before the creation come before all events of the child; the parent's later events do
     * not.
     */
    struct event e[] = {WRITE(0, X), thread(0, RD_OP_CREATE, 1), WRITE(0, Y), READ(1, N)};
    assert_true(commute(e, RD_COUNT(e), 2));
    uint64_t a[2], b[2];
    hash(e, RD_COUNT(e), a);
    e[1].other = RD_TID_NONE; /* a creation that failed orders no events */
    hash(e, RD_COUNT(e), b);
    assert_true(a[0] != b[0] && a[1] != b[1]);
    struct event f[] = {thread(0, RD_OP_CREATE, 1), WRITE(1, X), thread(0, RD_OP_JOIN, 1), WRITE(0, X)};
    hash(f, RD_COUNT(f), a);
    f[2].other = RD_TID_NONE; /* nor does a failed join; the two writes are still ordered by their conflict */
    hash(f, RD_COUNT(f), b);
    assert_true(a[0] != b[0] && a[1] != b[1]);
    assert_false(COMMUTE(thread(0, RD_OP_EXIT, RD_TID_NONE), WRITE(1, X))); /* exit depends on every other event */
}

static void the_hash_covers_thread_operation_and_place(void **state) {
    (void)state;
    struct event e[] = {READ(1, X)}, other[] = {READ(2, X), WRITE(1, X), READ(1, Y)};
    uint64_t a[2], b[2];
    hash(e, 1, a);
    for (size_t i = 0; i < RD_COUNT(other); i++) {
        hash(&other[i], 1, b);
        assert_true(a[0] != b[0] && a[1] != b[1]);
    }
}

/* The order of two conflicting events enters the clocks of all events after them, at any distance. */
static void order_is_transitive(void **state) {
    (void)state;
    struct event e[] = {WRITE(1, X), WRITE(1, Y), READ(2, Y), READ(2, X), READ(3, X)};
    assert_true(commute(e, RD_COUNT(e), 3));  /* threads 2 and 3 only read */
    assert_false(commute(e, RD_COUNT(e), 1)); /* a swap would cut the path from 1 to 2 */
}

/* ---- by brute force: swaps of neighbours that commute keep the class, and lead to all of it ---- */

enum { EVENTS = 40 };

static void hash_events(const struct rd_event *e, uint64_t to[2]) {
    static _Alignas(16) char big[1 << 20];
    struct rd_arena a;
    struct rd_hb_class o;
    rd_arena_init(&a, big, sizeof big);
    rd_hb_class_init(&o, &a);
    for (size_t i = 0; i < EVENTS; i++) {
        uint64_t before[2], peeked[2];
        memcpy(before, o.hash, sizeof before);
        rd_hb_class_peek(&o, &e[i], peeked);
        assert_memory_equal(o.hash, before, sizeof before);
        rd_hb_class_event(&o, &e[i]);
        assert_memory_equal(o.hash, peeked, sizeof peeked);
    }
    memcpy(to, o.hash, sizeof o.hash);
}

static void swap(struct rd_event *e, size_t i) {
    struct rd_event x = e[i];
    e[i] = e[i + 1];
    e[i + 1] = x;
}

/* Swaps neighbours and compares the hashes; `dependent` is the relation that is not under test. */
static void swaps_tell_classes(struct rd_rng *r, struct rd_event *e,
                               bool (*dependent)(const struct rd_event *a, const struct rd_event *b)) {
    uint64_t a[2], b[2];
    hash_events(e, a);
    for (int n = 0; n < 4 * EVENTS; n++) {
        size_t i = rd_rng_below(r, EVENTS - 1);
        if (e[i].tid != e[i + 1].tid && !dependent(&e[i], &e[i + 1]))
            swap(e, i);
    }
    hash_events(e, b);
    assert_memory_equal(a, b, sizeof a);
    size_t from = rd_rng_below(r, EVENTS - 1);
    for (size_t i = from; i + 1 < EVENTS; i++) {
        if (e[i].tid == e[i + 1].tid || !dependent(&e[i], &e[i + 1]))
            continue;
        swap(e, i);
        hash_events(e, b);
        assert_true(a[0] != b[0] && a[1] != b[1]);
        return;
    }
}

static bool overlap(const struct rd_event *a, const struct rd_event *b) {
    return a->first <= b->last && b->first <= a->last &&
           (a->access == RD_TOUCH_WRITE || b->access == RD_TOUCH_WRITE);
}

static bool dependent(const struct rd_event *a, const struct rd_event *b) { return rd_event_dependent(a, b); }

/* Two dependent events have a bit of their signs in common. */
static void signs_meet(const struct rd_event *e) {
    for (size_t i = 0; i < EVENTS; i++) {
        struct rd_event_sign a = rd_event_sign(&e[i]);
        for (size_t k = 0; k < EVENTS; k++) {
            struct rd_event_sign b = rd_event_sign(&e[k]);
            assert_true(!rd_event_dependent(&e[i], &e[k]) || rd_event_sign_meets(&a, &b));
        }
    }
}

/* Short and long accesses, aligned or not, within and across pages. */
static void random_accesses_match_all_pairs(void **state) {
    (void)state;
    static const uint32_t sizes[] = {1, 2, 4, 8, 3, 16, 64, 65, 100, 300, 5000, 9000};
    struct rd_rng r;
    rd_rng_seed(&r, 7);
    for (int round = 0; round < 2000; round++) {
        if (!unit_takes(round, 8))
            continue;
        struct rd_event e[EVENTS];
        for (size_t i = 0; i < EVENTS; i++) {
            uint64_t at = 0x10000 - 200 + rd_rng_below(&r, 400) + (rd_rng_below(&r, 4) == 0 ? 4096 : 0);
            e[i] = (struct rd_event){.op = RD_OP_READ, .target = RD_TID_NONE, .place = at, .first = at};
            e[i].tid = (rd_tid)rd_rng_below(&r, 4);
            e[i].access = rd_rng_below(&r, 3) ? RD_TOUCH_READ : RD_TOUCH_WRITE;
            e[i].last = at + sizes[rd_rng_below(&r, RD_COUNT(sizes))] - 1;
        }
        swaps_tell_classes(&r, e, overlap);
        signs_meet(e);
    }
}

/*
 * Events of every kind: memory, objects that are written, read or added to, other threads, the clock, everything.
 */
static void random_events_match_all_pairs(void **state) {
    (void)state;
    static const rd_tid tids[] = {0, 1, 5, 9, 20, 70}; /* the tables must grow twice for these */
    struct rd_rng r;
    rd_rng_seed(&r, 8);
    for (int round = 0; round < 2000; round++) {
        if (!unit_takes(round, 6))
            continue;
        struct rd_event e[EVENTS];
        for (size_t i = 0; i < EVENTS; i++) {
            e[i] = (struct rd_event){.op = (uint8_t)rd_rng_below(&r, 4), .target = RD_TID_NONE};
            uint32_t who = rd_rng_below(&r, 6);
            e[i].tid = tids[who];
            e[i].place = rd_rng_below(&r, 3);
            e[i].wide = rd_rng_below(&r, 20) == 0;
            if (rd_rng_below(&r, 4) == 0)
                e[i].clock = rd_rng_below(&r, 2) ? RD_TOUCH_READ : RD_TOUCH_ADD;
            if (rd_rng_below(&r, 8) == 0)
                e[i].target = tids[(who + 1 + rd_rng_below(&r, 5)) % 6];
            for (unsigned k = 0; k < RD_EVENT_OBJECTS; k++) {
                e[i].touch[k] = rd_rng_below(&r, 2) ? (uint8_t)rd_rng_below(&r, RD_TOUCHES) : RD_TOUCH_NONE;
                e[i].object[k] = e[i].touch[k] ? 0x100 + rd_rng_below(&r, 4) : 0;
            }
            e[i].access = rd_rng_below(&r, 3) == 0 ? (uint8_t)rd_rng_below(&r, RD_TOUCH_READ + 1) : RD_TOUCH_NONE;
            e[i].first = 0x1000 + rd_rng_below(&r, 24);
            e[i].last = e[i].first + rd_rng_below(&r, 8);
        }
        swaps_tell_classes(&r, e, dependent);
        signs_meet(e);
    }
}

int test_order(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_conflict_when_one_writes),
        cmocka_unit_test(accesses_conflict_byte_by_byte),
        cmocka_unit_test(objects_order_all_their_operations),
        cmocka_unit_test(deadlines_are_about_the_object_and_the_clock),
        cmocka_unit_test(threads_order_their_parents_and_joiners),
        cmocka_unit_test(the_hash_covers_thread_operation_and_place),
        cmocka_unit_test(order_is_transitive),
        cmocka_unit_test(random_accesses_match_all_pairs),
        cmocka_unit_test(random_events_match_all_pairs),
    };
    return cmocka_run_group_tests_name("happens-before classes", tests, NULL, NULL);
}
