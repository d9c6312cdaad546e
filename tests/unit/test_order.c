/*
 * test_order.c - the hash of the happens-before class: equal exactly when one order of events can be turned into
 * the other by swapping neighbours that commute.
 */
#include "unit.h"

#include "base/rng.h"
#include "trace/order.h"

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
    struct rd_order o;
    rd_arena_init(&a, region, sizeof region);
    rd_order_init(&o, &a);
    for (size_t i = 0; i < n; i++)
        unit_order(&o, e[i].tid, &e[i].op, e[i].other);
    memcpy(to, o.hash, sizeof o.hash);
}

/* Is the class the same with events i and i + 1 swapped? Both halves of the hash must agree on it. */
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
    /* across the boundary of eight bytes, and over many of them */
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
    assert_true(COMMUTE(LOCK(1, X), WRITE(2, X))); /* an object and the memory at its address are two things */
}

static void threads_order_their_parents_and_joiners(void **state) {
    (void)state;
    /* what the parent did before the creation is before all of the child; what it does after is not */
    struct event e[] = {WRITE(0, X), thread(0, RD_OP_CREATE, 1), WRITE(0, Y), READ(1, N)};
    assert_true(commute(e, RD_COUNT(e), 2));
    uint64_t a[2], b[2];
    hash(e, RD_COUNT(e), a);
    e[1].other = RD_TID_NONE; /* a creation that failed orders nothing */
    hash(e, RD_COUNT(e), b);
    assert_true(a[0] != b[0] && a[1] != b[1]);
    struct event f[] = {thread(0, RD_OP_CREATE, 1), WRITE(1, X), thread(0, RD_OP_JOIN, 1), WRITE(0, X)};
    hash(f, RD_COUNT(f), a);
    f[2].other = RD_TID_NONE; /* nor does a join; the writes do, later */
    hash(f, RD_COUNT(f), b);
    assert_true(a[0] != b[0] && a[1] != b[1]);
    assert_false(COMMUTE(thread(0, RD_OP_EXIT, RD_TID_NONE), WRITE(1, X))); /* exit comes after everything */
}

static void the_hash_sees_who_does_what_where(void **state) {
    (void)state;
    struct event e[] = {READ(1, X)}, other[] = {READ(2, X), WRITE(1, X), READ(1, Y)};
    uint64_t a[2], b[2];
    hash(e, 1, a);
    for (size_t i = 0; i < RD_COUNT(other); i++) {
        hash(&other[i], 1, b);
        assert_true(a[0] != b[0] && a[1] != b[1]);
    }
}

/* The order of two conflicting events is in the clocks of all that come after them, however far away. */
static void order_is_transitive(void **state) {
    (void)state;
    struct event e[] = {WRITE(1, X), WRITE(1, Y), READ(2, Y), READ(2, X), READ(3, X)};
    assert_true(commute(e, RD_COUNT(e), 3));  /* 2 and 3 only read */
    assert_false(commute(e, RD_COUNT(e), 1)); /* would cut the path from 1 to 2 */
}

/* The clock of an event, from all pairs: the join of the clocks of everything before it that it depends on. */
static void naive_clock(const struct event *e, size_t i, uint32_t (*clocks)[4], uint32_t index) {
    memset(clocks[i], 0, sizeof clocks[i]);
    for (size_t j = 0; j < i; j++) {
        bool overlap = e[j].op.addr < e[i].op.addr + e[i].op.size && e[i].op.addr < e[j].op.addr + e[j].op.size;
        bool writes = e[i].op.kind == RD_OP_WRITE || e[j].op.kind == RD_OP_WRITE;
        if (e[j].tid != e[i].tid && !(overlap && writes))
            continue;
        for (int t = 0; t < 4; t++)
            clocks[i][t] = RD_MAX(clocks[i][t], clocks[j][t]);
    }
    clocks[i][e[i].tid] = index;
}

/* Short and long accesses, aligned or not, within and across pages. */
static void random_accesses_match_all_pairs(void **state) {
    (void)state;
    enum { EVENTS = 40, ROUNDS = 3000 };
    static const uint32_t sizes[] = {1, 2, 4, 8, 3, 16, 64, 65, 100, 300, 5000, 9000};
    static _Alignas(16) char big[1 << 20];
    struct rd_rng r;
    rd_rng_seed(&r, 7);
    for (int round = 0; round < ROUNDS; round++) {
        struct event e[EVENTS];
        uint32_t clocks[EVENTS][4], count[4] = {0};
        struct rd_arena a;
        struct rd_order o;
        rd_arena_init(&a, big, sizeof big);
        rd_order_init(&o, &a);
        for (size_t i = 0; i < EVENTS; i++) {
            rd_tid tid = (rd_tid)rd_rng_below(&r, 4);
            uint64_t addr = 0x10000 - 200 + rd_rng_below(&r, 400) + (rd_rng_below(&r, 4) == 0 ? 4096 : 0);
            uint32_t size = sizes[rd_rng_below(&r, RD_COUNT(sizes))];
            e[i] = mem(tid, rd_rng_below(&r, 2) ? RD_OP_WRITE : RD_OP_READ, addr, size);
            naive_clock(e, i, clocks, ++count[tid]);
            unit_order(&o, tid, &e[i].op, RD_TID_NONE);
            for (uint32_t t = 0; t < 4; t++)
                assert_int_equal(rd_vclock_get(rd_order_clock(&o, tid), t), clocks[i][t]);
        }
    }
}

int test_order(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_conflict_when_one_writes),
        cmocka_unit_test(accesses_conflict_byte_by_byte),
        cmocka_unit_test(objects_order_all_their_operations),
        cmocka_unit_test(threads_order_their_parents_and_joiners),
        cmocka_unit_test(the_hash_sees_who_does_what_where),
        cmocka_unit_test(order_is_transitive),
        cmocka_unit_test(random_accesses_match_all_pairs),
    };
    return cmocka_run_group_tests_name("happens-before classes", tests, NULL, NULL);
}
