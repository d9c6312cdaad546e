/*
 * test_race.c - data races against a naive computation of happens-before: pairs of events by the rules of C11 and
 * POSIX, one by one, closed under transitivity. On random executions the verdict and the reported variables must be
 * the same, and every reported pair must be a race.
 */
#include "unit.h"

#include "base/rng.h"
#include "detect/detect.h"
#include "detect/race_check.h"
#include "channel/channel.h"
#include "trace/place.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 26, THREADS = 4, VARS = 3, LOCKS = 2, SEQUENCES = 100000 };

#define M(offset) rd_place_make(RD_PLACE_MODULE, offset)

struct sequence {
    struct rd_step at[STEPS];
    uint32_t count;
    struct rd_outcome out;
    struct rd_record record;
    struct rd_annotation mark; /* in some sequences: races on the first variable are intended */
    struct rd_cxx20 cxx20;     /* up to two ranges of code that follow C++20 */
};

static void add(struct sequence *s, struct rd_step step) {
    step.pc = M(0x1000 + s->count * 4);
    s->at[s->count++] = step;
    s->out.steps = s->count;
}

/* ---- random executions: every operation in a state in which it can happen ---- */

struct world {
    int owner[LOCKS], writer, readers[THREADS];
    int sem;
    bool alive[THREADS], joined[THREADS];
    uint32_t arrived;
    uint32_t waits[THREADS]; /* the round of the barrier that the thread waits for; 0: it does not wait */
};

static uint8_t some_order(struct rd_rng *r) {
    static const uint8_t orders[] = {__ATOMIC_RELAXED, __ATOMIC_RELAXED, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELEASE, __ATOMIC_ACQ_REL, __ATOMIC_SEQ_CST};
    return orders[rd_rng_below(r, RD_COUNT(orders))];
}

static void access_memory(struct sequence *s, struct rd_rng *r, rd_tid t) {
    static const uint8_t kinds[] = {RD_OP_READ,         RD_OP_READ,         RD_OP_WRITE,      RD_OP_ATOMIC_LOAD,
                                    RD_OP_ATOMIC_LOAD,  RD_OP_ATOMIC_STORE, RD_OP_ATOMIC_RMW, RD_OP_ATOMIC_CAS,
                                    RD_OP_ATOMIC_STORE, RD_OP_FENCE};
    struct rd_step step = {.tid = t, .op = kinds[rd_rng_below(r, RD_COUNT(kinds))], .size = 4};
    step.place = M(0x4000 + rd_rng_below(r, VARS) * 8);
    bool plain = step.op == RD_OP_READ || step.op == RD_OP_WRITE;
    if (plain && rd_rng_below(r, 4) == 0) { /* the other half of the word, or both halves */
        step.size = rd_rng_below(r, 2) ? 8 : 4;
        step.place += step.size == 4 ? 4 : 0;
    }
    if (!plain)
        step.order = some_order(r);
    if (step.op == RD_OP_ATOMIC_CAS) {
        step.result = (uint8_t)rd_rng_below(r, 2);
        step.order = (uint8_t)RD_ORDER_CAS(step.order, some_order(r));
    }
    if (step.op == RD_OP_FENCE)
        step.place = step.size = 0;
    add(s, step);
}

static void use_lock(struct sequence *s, struct rd_rng *r, struct world *w, rd_tid t) {
    uint32_t l = rd_rng_below(r, LOCKS);
    struct rd_step step = {.tid = t, .place = M(0x5000 + l * 64), .op = RD_OP_MUTEX_UNLOCK};
    if (w->owner[l] < 0) {
        step.op = RD_OP_MUTEX_LOCK;
        w->owner[l] = t;
    } else if (w->owner[l] == t) {
        w->owner[l] = -1;
    } else {
        step.op = RD_OP_MUTEX_TRYLOCK;
        step.result = 16;
    }
    add(s, step);
}

static void use_rwlock(struct sequence *s, struct rd_rng *r, struct world *w, rd_tid t) {
    struct rd_step step = {.tid = t, .place = M(0x6000), .op = RD_OP_RWLOCK_UNLOCK};
    int others = 0;
    for (int i = 0; i < THREADS; i++)
        others += i != t && w->readers[i];
    if (w->writer == t) {
        w->writer = -1;
    } else if (w->readers[t]) {
        w->readers[t] = 0;
        step.order = RD_ACCESS_SHARED;
    } else if (w->writer < 0 && !others && rd_rng_below(r, 2)) {
        step.op = RD_OP_RWLOCK_WRLOCK;
        w->writer = t;
    } else if (w->writer < 0) {
        step.op = RD_OP_RWLOCK_RDLOCK;
        w->readers[t] = 1;
    } else {
        return;
    }
    add(s, step);
}

static void use_other(struct sequence *s, struct rd_rng *r, struct world *w, rd_tid t) {
    uint32_t what = rd_rng_below(r, 5), other = rd_rng_below(r, THREADS);
    if (what == 0) {
        bool wait = w->sem > 0 && rd_rng_below(r, 2);
        w->sem += wait ? -1 : 1;
        add(s, (struct rd_step){.tid = t, .place = M(0x7000), .op = wait ? RD_OP_SEM_WAIT : RD_OP_SEM_POST});
    } else if (what == 1) { /* a barrier for two */
        w->arrived++;
        bool last = w->arrived % 2 == 0;
        w->waits[t] = last ? 0 : (w->arrived + 1) / 2;
        add(s, (struct rd_step){
                   .tid = t, .place = M(0x7100), .op = RD_OP_BARRIER_ARRIVE, .value = last ? w->arrived / 2 : 0});
    } else if (what == 2) { /* an annotation of the program */
        uint8_t op = rd_rng_below(r, 2) ? RD_OP_RELEASE : RD_OP_ACQUIRE;
        add(s, (struct rd_step){.tid = t, .place = M(0x7200), .op = op});
    } else if (!w->alive[other] && !w->joined[other]) {
        w->alive[other] = true;
        add(s, (struct rd_step){.tid = t, .op = RD_OP_CREATE, .value = other});
    } else if (other != t && w->alive[other] && !w->waits[other] && rd_rng_below(r, 3) == 0) {
        w->alive[other] = false;
        w->joined[other] = true;
        add(s, (struct rd_step){.tid = t, .op = RD_OP_JOIN, .value = other});
    }
}

static void generate(struct sequence *s, uint64_t seed) {
    struct rd_rng r;
    struct world w = {.owner = {-1, -1}, .writer = -1, .alive = {true}};
    rd_rng_seed(&r, seed);
    memset(s, 0, sizeof *s);
    uint32_t length = 4 + rd_rng_below(&r, STEPS - 6);
    for (uint32_t tries = 0; s->count < length && tries < 200; tries++) {
        rd_tid t = (rd_tid)rd_rng_below(&r, THREADS);
        if (s->count < 2 && !w.alive[1 + s->count]) { /* with one thread there is no race */
            w.alive[1 + s->count] = true;
            add(s, (struct rd_step){.op = RD_OP_CREATE, .value = 1 + s->count});
            continue;
        }
        if (!w.alive[t])
            continue;
        if (w.waits[t]) {
            if (w.arrived / 2 < w.waits[t])
                continue; /* the partner has not arrived yet */
            add(s, (struct rd_step){.tid = t, .place = M(0x7100), .op = RD_OP_BARRIER_LEAVE, .value = w.waits[t]});
            w.waits[t] = 0;
            continue;
        }
        uint32_t what = rd_rng_below(&r, 10);
        if (what < 6)
            access_memory(s, &r, t);
        else if (what < 8)
            use_lock(s, &r, &w, t);
        else if (what < 9)
            use_rwlock(s, &r, &w, t);
        else
            use_other(s, &r, &w, t);
    }
    s->out.threads = THREADS;
    s->record = (struct rd_record){.out = &s->out, .steps = s->at, .annotations = &s->mark};
    s->record.annotation_count = rd_rng_below(&r, 4) == 0;
    s->record.cxx20 = rd_rng_below(&r, 8) ? &s->cxx20 : NULL;
    s->cxx20.count = 0;
    for (uint32_t at = rd_rng_below(&r, STEPS); at < STEPS && s->cxx20.count < 2;
         at += 1 + rd_rng_below(&r, STEPS)) {
        uint32_t last = RD_MIN(at + rd_rng_below(&r, STEPS), (uint32_t)STEPS);
        s->cxx20.at[s->cxx20.count++] =
            (struct rd_range){.first = M(0x1000 + at * 4), .last = M(0x1000 + last * 4)};
        at = last;
    }
    s->mark = (struct rd_annotation){.first = M(0x4000), .last = M(0x4007), .kind = RD_ANNOTATION_BENIGN};
}

/* ---- happens-before, pair by pair ---- */

static bool is_atomic(const struct rd_step *a) { return a->op >= RD_OP_ATOMIC_LOAD && a->op <= RD_OP_ATOMIC_CAS; }
static bool loads(const struct rd_step *a) {
    return a->op == RD_OP_READ || a->op == RD_OP_ATOMIC_LOAD || a->op == RD_OP_ATOMIC_RMW ||
           a->op == RD_OP_ATOMIC_CAS;
}
static bool stores(const struct rd_step *a) {
    return a->op == RD_OP_WRITE || a->op == RD_OP_ATOMIC_STORE || a->op == RD_OP_ATOMIC_RMW ||
           (a->op == RD_OP_ATOMIC_CAS && !a->result);
}
static bool releasing(const struct rd_step *a) {
    unsigned o = a->order & 7;
    return o == __ATOMIC_RELEASE || o == __ATOMIC_ACQ_REL || o == __ATOMIC_SEQ_CST;
}
static bool acquiring(const struct rd_step *a) {
    unsigned o = a->op == RD_OP_ATOMIC_CAS && a->result ? a->order >> 3 : a->order & 7;
    return o == __ATOMIC_ACQUIRE || o == __ATOMIC_ACQ_REL || o == __ATOMIC_SEQ_CST;
}

struct before {
    bool is[STEPS][STEPS];
};

/*
 * Whether the step is in code that follows C++20, in which a later plain store by the same thread is not part of a
 * release sequence.
 */
static bool is_cxx20(const struct sequence *s, const struct rd_step *a) {
    for (uint32_t i = 0; s->record.cxx20 && i < s->cxx20.count; i++)
        if (a->pc >= s->cxx20.at[i].first && a->pc <= s->cxx20.at[i].last)
            return true;
    return false;
}

/*
 * The load at j reads from a release sequence: every release in the sequence synchronises with the load, or with a
 * fence after it.
 */
static void read_from(const struct sequence *s, struct before *b, uint32_t j) {
    rd_tid only = RD_TID_NONE; /* the thread of a later store that is no read-modify-write */
    for (int i = (int)j - 1; i >= 0; i--) {
        const struct rd_step *a = &s->at[i];
        if (!is_atomic(a) || !stores(a) || a->place != s->at[j].place)
            continue;
        bool plain = a->op == RD_OP_ATOMIC_STORE;
        if (only != RD_TID_NONE && only != a->tid) {
            if (plain)
                return;
            continue;
        }
        for (uint32_t f = 0; f <= (uint32_t)i; f++) { /* the store itself, and release fences before it */
            const struct rd_step *from = &s->at[f];
            bool heads =
                f == (uint32_t)i ? releasing(a) : from->op == RD_OP_FENCE && from->tid == a->tid && releasing(from);
            for (uint32_t g = j; heads && g < s->count; g++) {
                const struct rd_step *to = &s->at[g];
                bool takes =
                    g == j ? acquiring(to) : to->op == RD_OP_FENCE && to->tid == s->at[j].tid && acquiring(to);
                b->is[f][g] |= takes;
            }
        }
        if (plain && is_cxx20(s, a))
            return; /* the release sequence begins here */
        if (plain)
            only = a->tid; /* it continues from an earlier store of the same thread */
    }
}

static bool synchronises(const struct sequence *s, uint32_t i, uint32_t j) {
    const struct rd_step *a = &s->at[i], *b = &s->at[j];
    if (a->tid == b->tid)
        return true;
    if (a->op == RD_OP_CREATE && b->tid == a->value)
        return true;
    if (b->op == RD_OP_JOIN && (a->tid == b->value || (a->op == RD_OP_CREATE && a->value == b->value)))
        return true; /* also of a thread without steps */
    if (a->place != b->place || !a->place)
        return false;
    bool exclusive = b->op == RD_OP_RWLOCK_WRLOCK || a->order != RD_ACCESS_SHARED;
    if (a->op == RD_OP_MUTEX_UNLOCK && b->op == RD_OP_MUTEX_LOCK)
        return true;
    if (a->op == RD_OP_RWLOCK_UNLOCK && (b->op == RD_OP_RWLOCK_WRLOCK || b->op == RD_OP_RWLOCK_RDLOCK))
        return exclusive;
    if (a->op == RD_OP_SEM_POST && b->op == RD_OP_SEM_WAIT)
        return true;
    if (a->op == RD_OP_RELEASE && b->op == RD_OP_ACQUIRE)
        return true;
    /*
     * Rounds of a barrier: a thread that leaves or completes a round is ordered after all arrivals up to that
     * round.
     */
    uint32_t arrived = 0;
    for (uint32_t k = 0; k <= i; k++)
        arrived += s->at[k].op == RD_OP_BARRIER_ARRIVE;
    bool through = b->op == RD_OP_BARRIER_LEAVE || (b->op == RD_OP_BARRIER_ARRIVE && b->value);
    return a->op == RD_OP_BARRIER_ARRIVE && through && (arrived + 1) / 2 <= b->value;
}

static void happens_before(const struct sequence *s, struct before *b) {
    memset(b, 0, sizeof *b);
    for (uint32_t j = 0; j < s->count; j++) {
        for (uint32_t i = 0; i < j; i++)
            b->is[i][j] |= synchronises(s, i, j);
        if (is_atomic(&s->at[j]) && loads(&s->at[j]))
            read_from(s, b, j);
    }
    for (uint32_t k = 0; k < s->count; k++)
        for (uint32_t i = 0; i < s->count; i++)
            for (uint32_t j = 0; j < s->count; j++)
                b->is[i][j] |= b->is[i][k] && b->is[k][j];
}

static bool race(const struct sequence *s, const struct before *b, uint32_t i, uint32_t j) {
    const struct rd_step *x = &s->at[i], *y = &s->at[j];
    bool memory = (loads(x) || stores(x)) && (loads(y) || stores(y));
    return memory && x->tid != y->tid && (stores(x) || stores(y)) && !(is_atomic(x) && is_atomic(y)) &&
           x->place < y->place + y->size && y->place < x->place + x->size && !b->is[i][j];
}

/* The words of eight bytes that have races, as bits. */
static unsigned naive(const struct sequence *s, const struct before *b) {
    unsigned words = 0;
    for (uint32_t j = 0; j < s->count; j++)
        for (uint32_t i = 0; i < j; i++)
            if (race(s, b, i, j))
                words |= 1u << (s->at[i].place - M(0x4000)) / 8;
    return s->record.annotation_count ? words & ~1u : words;
}

/* ---- the comparison ---- */

struct known {
    uint64_t at[STEPS * STEPS];
    uint32_t count;
};

static bool has(const void *ctx, uint64_t key) {
    const struct known *k = ctx;
    for (uint32_t i = 0; i < k->count; i++)
        if (k->at[i] == key)
            return true;
    return false;
}

static void show(const struct sequence *s) {
    for (uint32_t i = 0; i < s->count; i++)
        print_error("%2u T%u %s %llx+%u order %u result %u value %llu\n", i, s->at[i].tid, rd_op_name(s->at[i].op),
                    (unsigned long long)(s->at[i].place & 0xffff), s->at[i].size, s->at[i].order, s->at[i].result,
                    (unsigned long long)s->at[i].value);
}

/* The words with a race, bit n for variable n, as the check finds them that runs beside an execution. */
static unsigned checked(struct rd_arena *a, const struct sequence *s) {
    struct rd_race_check c;
    unsigned words = 0;
    rd_race_check_init(&c, a, 1, &s->cxx20); /* the number of threads is not known from the start */
    for (uint32_t i = 0; i < s->count; i++) {
        const struct rd_step *it = &s->at[i];
        unsigned flags = rd_op_flags(it->op);
        rd_sync_reach(&c.sync, RD_MAX(it->tid, it->op == RD_OP_CREATE ? (rd_tid)it->value : 0) + 1u);
        uint32_t epoch = rd_race_check_step(&c, it);
        uint64_t first = it->place - M(0x4000);
        struct rd_race_access access = {.atomic = flags & RD_F_ATOMIC};
        access.write = flags & RD_F_WRITES && !(it->op == RD_OP_ATOMIC_CAS && it->result);
        if (!(flags & (RD_F_READS | RD_F_WRITES)) || first / 8 >= VARS)
            continue;
        access.mask = rd_race_mask(first / 8, first, first + it->size - 1);
        words |= (unsigned)rd_race_check_access(&c, first / 8 + 1, it->tid, epoch, &access) << first / 8;
    }
    return words;
}

static void as_the_naive_computation(void **state) {
    (void)state;
    struct rd_arena arena;
    size_t size = 1 << 18;
    uint32_t with = 0, without = 0;
    rd_arena_init(&arena, malloc(size), size);
    for (uint64_t n = 0; n < SEQUENCES; n++) {
        if (!unit_takes(n, 8))
            continue;
        static struct sequence s;
        static struct before b;
        struct known known = {.count = 0};
        struct rd_known k = {.has = has, .ctx = &known};
        struct rd_finding f;
        generate(&s, n);
        happens_before(&s, &b);
        unsigned expected = naive(&s, &b), found = 0;
        rd_arena_reset(&arena);
        unsigned raced = checked(&arena, &s);
        if ((s.record.annotation_count ? raced & ~1u : raced) != expected) {
            print_error("sequence %llu: checked %x instead of %x\n", (unsigned long long)n, raced, expected);
            show(&s);
            fail();
        }
        for (; rd_arena_reset(&arena), rd_detect_race(&arena, &s.record, &k, &f); known.at[known.count++] = f.key) {
            uint32_t j = (uint32_t)(f.pc - M(0x1000)) / 4, i = (uint32_t)(f.other_pc - M(0x1000)) / 4;
            if (!race(&s, &b, i, j)) {
                print_error("%u and %u are no race: %llu\n", i, j, (unsigned long long)n);
                show(&s);
                fail();
            }
            assert_false(has(&known, f.key));
            if (f.status == RD_RACE_BENIGN) {
                assert_int_equal((s.at[i].place - M(0x4000)) / 8, 0);
                continue;
            }
            found |= 1u << (s.at[i].place - M(0x4000)) / 8;
        }
        if (found != expected) {
            print_error("sequence %llu: %x instead of %x\n", (unsigned long long)n, found, expected);
            show(&s);
            fail();
        }
        with += expected != 0;
        without += expected == 0;
    }
    free(arena.base);
    assert_true(unit_is_slow() ? with > SEQUENCES / 10 && without > SEQUENCES / 10 : with && without);
}

/* A free takes the place of earlier accesses, and races with later ones that it does not happen before. */
static void a_free_is_kept(void **state) {
    (void)state;
    static char memory[1 << 14];
    struct rd_arena a;
    struct rd_race_check c;
    const struct rd_race_access frees = {.mask = 0xff, .write = true, .frees = true}, reads = {.mask = 1};
    const struct rd_race_access uses = {.mask = 1, .atomic = true, .object = true};
    rd_arena_init(&a, memory, sizeof memory);
    rd_race_check_init(&c, &a, 3, NULL);
    assert_false(rd_race_check_access(&c, 1, 1, 1, &reads));
    assert_false(rd_race_check_access(&c, 1, 2, 1, &uses));
    assert_false(rd_race_check_access(&c, 1, 1, 1, &uses));
    assert_true(rd_race_check_access(&c, 1, 1, 1, &frees));  /* with the object of thread 2 */
    assert_false(rd_race_check_access(&c, 1, 1, 1, &reads)); /* another block, of the thread that freed this one */
    assert_true(rd_race_check_access(&c, 1, 2, 1, &reads));
    assert_true(rd_race_check_access(&c, 2, 1, 1, &frees) == false);
    assert_true(rd_race_check_access(&c, 2, 2, 1, &uses));
}

int test_race(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_is_kept),
        cmocka_unit_test(as_the_naive_computation),
    };
    return cmocka_run_group_tests_name("races", tests, NULL, NULL);
}
