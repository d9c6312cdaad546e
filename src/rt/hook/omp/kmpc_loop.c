/*
 * kmpc_loop.c - see omp.h: the loops of clang's OpenMP runtime. Ranges include their last iteration. Each function
 * exists four times, by the type of the counter. Static loops (__kmpc_for_static_init_*) need no operation: the
 * range of a thread depends on its number only.
 */
#include "rt/hook/omp/omp.h"

/*
 * Values of libomp's enum sched_type (kmp_sch_*); a loop with an ordered part has the value + ORDERED (kmp_ord_*).
 */
enum { STATIC_CHUNKED = 33, STATIC = 34, DYNAMIC = 35, GUIDED = 36, RUNTIME = 37, AUTO = 38, ORDERED = 32 };
enum { MONOTONIC = 0x20000000, MODIFIERS = 0x60000000 }; /* bits for the schedule modifiers */

/* Number of iterations of a range that is not empty. The arithmetic wraps: 2^64 iterations are counted as 0. */
static uint64_t iterations(bool up, uint64_t low, uint64_t high, uint64_t step) {
    return up ? (high - low) / step + 1 : (low - high) / -step + 1;
}

/*
 * Notes the loop in `announced`. The thread enters the loop with its first call of next: code of the program runs
 * before.
 */
static void init(unsigned schedule, uint64_t count, uint64_t chunk, uint64_t low, uint64_t step) {
    struct rd_omp *o = rd_omp_self();
    unsigned kind = schedule & ~(unsigned)MODIFIERS;
    o->me.ordered = kind > 64 && kind < 96;
    kind -= o->me.ordered ? ORDERED : 0;
    o->me.passed = false;
    o->begins = true;
    struct rd_omp_share s = {.first = low, .step = step, .count = count};
    s.schedule = kind == DYNAMIC ? RD_OMP_DYNAMIC : kind == GUIDED ? RD_OMP_GUIDED : RD_OMP_STATIC;
    s.chunk = kind == STATIC ? 0 : RD_MAX(chunk, (uint64_t)1);
    if (kind ==
        AUTO) { /* OpenMP leaves the mapping open: single iterations in any order are the most general one */
        s.schedule = RD_OMP_DYNAMIC;
        s.chunk = 1;
    }
    if (kind == RUNTIME) {
        s.schedule = o->control.schedule;
        s.chunk = o->control.chunk;
    } else if (kind < STATIC_CHUNKED || kind > AUTO) {
        rd_omp_refuse("a schedule of loops that is unknown");
    }
    s.any_order = s.schedule == RD_OMP_DYNAMIC && !(schedule & MONOTONIC) && !o->me.ordered;
    s.libomp_lengths = true;
    o->announced = s;
}

/*
 * Takes the thread's next chunk, as the program's counters; false: no chunk is left, and the thread leaves the
 * loop.
 */
static bool next(struct rd_omp_range *r, int *last, uint64_t pc) {
    struct rd_omp *o = rd_omp_self();
    bool begins = o->begins;
    o->begins = false;
    if (begins)
        rd_omp_enter_loop(o, &o->announced, pc);
    const struct rd_omp_share *s = o->me.share;
    if (!rd_omp_next(o, begins, o->me.ordered, r, pc)) {
        rd_omp_leave(o);
        return false;
    }
    if (last)
        *last = r->to == s->count;
    r->from = s->first + r->from * s->step;
    r->to = s->first + (r->to - 1) * s->step;
    return true;
}

/* An iteration of an ordered loop has ended: passes on its turn, unless __kmpc_end_ordered has done so. */
static void end_iteration(uint64_t pc) {
    struct rd_omp *o = rd_omp_self();
    if (!o->me.passed)
        rd_omp_pass_turn(o, 1, pc);
    o->me.passed = false;
}

RD_OMP(void, __kmpc_ordered, (void *loc, int global), (loc, global)) {
    uint64_t pc = rd_omp_pc;
    struct rd_omp *o = rd_omp_self();
    (void)loc, (void)global;
    if (!o->me.share || o->me.team->size == 1)
        return;
    rd_omp_await_turn(o, pc);
    rd_omp_op(RD_OP_ACQUIRE, &o->me.share->ordered, pc);
}
RD_OMP(void, __kmpc_end_ordered, (void *loc, int global), (loc, global)) {
    uint64_t pc = rd_omp_pc;
    struct rd_omp *o = rd_omp_self();
    (void)loc, (void)global;
    if (!o->me.share || o->me.team->size == 1)
        return;
    rd_omp_op(RD_OP_RELEASE, &o->me.share->ordered, pc);
    rd_omp_pass_turn(o, 1, pc);
    o->me.passed = true;
}

#define LOOPS(suffix, type, signed_type)                                                                           \
    RD_OMP(void, __kmpc_dispatch_init_##suffix,                                                                    \
           (void *loc, int global, int schedule, type low, type high, signed_type step, signed_type chunk),        \
           (loc, global, schedule, low, high, step, chunk)) {                                                      \
        bool any = step > 0 ? low <= high : high <= low;                                                           \
        uint64_t count = any ? iterations(step > 0, (uint64_t)low, (uint64_t)high, (uint64_t)(int64_t)step) : 0;   \
        (void)loc, (void)global;                                                                                   \
        init((unsigned)schedule, count, chunk > 0 ? (uint64_t)chunk : 1, (uint64_t)low, (uint64_t)(int64_t)step);  \
    }                                                                                                              \
    RD_OMP(int, __kmpc_dispatch_next_##suffix,                                                                     \
           (void *loc, int global, int *last, type *low, type *high, signed_type *step),                           \
           (loc, global, last, low, high, step)) {                                                                 \
        struct rd_omp_range r;                                                                                     \
        (void)loc, (void)global;                                                                                   \
        uint64_t by = rd_omp_self()->announced.step;                                                               \
        if (!next(&r, last, rd_omp_pc))                                                                            \
            return 0;                                                                                              \
        *low = (type)r.from;                                                                                       \
        *high = (type)r.to;                                                                                        \
        if (step)                                                                                                  \
            *step = (signed_type)by;                                                                               \
        return 1;                                                                                                  \
    }                                                                                                              \
    RD_OMP(void, __kmpc_dispatch_fini_##suffix, (void *loc, int global), (loc, global)) {                          \
        (void)loc, (void)global;                                                                                   \
        end_iteration(rd_omp_pc);                                                                                  \
    }                                                                                                              \
    RD_OMP(void, __kmpc_for_static_init_##suffix,                                                                  \
           (void *loc, int global, int schedule, int *last, type *low, type *high, signed_type *stride,            \
            signed_type step, signed_type chunk),                                                                  \
           (loc, global, schedule, last, low, high, stride, step, chunk)) {                                        \
        const struct rd_omp_member *me = &rd_omp_self()->me;                                                       \
        uint64_t threads = me->team->size, num = me->num;                                                          \
        bool any = step > 0 ? *low <= *high : *high <= *low;                                                       \
        (void)loc, (void)global;                                                                                   \
        uint64_t count = any ? iterations(step > 0, (uint64_t)*low, (uint64_t)*high, (uint64_t)(int64_t)step) : 0; \
        *stride = any ? (signed_type)(step > 0 ? count : -count) : step;                                           \
        if (last)                                                                                                  \
            *last = any && threads == 1;                                                                           \
        if (!any || threads == 1)                                                                                  \
            return;                                                                                                \
        if ((schedule & ~MODIFIERS) % 32 == STATIC_CHUNKED % 32) {                                                 \
            uint64_t each = chunk > 0 ? (uint64_t)chunk : 1;                                                       \
            *stride = (signed_type)(each * (uint64_t)(int64_t)step * threads);                                     \
            *low = (type)(*low + (type)(num * each * (uint64_t)(int64_t)step));                                    \
            *high = (type)(*low + (type)((each - 1) * (uint64_t)(int64_t)step));                                   \
            if (last)                                                                                              \
                *last = num == (count - 1) / each % threads;                                                       \
            return;                                                                                                \
        }                                                                                                          \
        struct rd_omp_range r = rd_omp_static_block(count, threads, num);                                          \
        *low = (type)(*low + (type)(r.from * (uint64_t)(int64_t)step));                                            \
        *high = (type)(*low + (type)((r.to - r.from - 1) * (uint64_t)(int64_t)step));                              \
        if (last)                                                                                                  \
            *last = num == RD_MIN(count, threads) - 1;                                                             \
    }
LOOPS(4, int32_t, int32_t)
LOOPS(4u, uint32_t, int32_t)
LOOPS(8, int64_t, int64_t)
LOOPS(8u, uint64_t, int64_t)

RD_OMP(void, __kmpc_for_static_fini, (void *loc, int global), (loc, global)) { (void)loc, (void)global; }

/* ---- doacross ---- */

/* struct kmp_dim of libomp. */
struct kmpc_dimension {
    int64_t low, high, step;
};

static_assert(sizeof(struct kmpc_dimension) == 24, "as in libomp");

/* The index of the iteration with counter `at` in its dimension. */
static uint64_t position(const struct kmpc_dimension *d, int64_t at) { return (uint64_t)((at - d->low) / d->step); }

RD_OMP(void, __kmpc_doacross_init, (void *loc, int global, int count, const struct kmpc_dimension *d),
       (loc, global, count, d)) {
    uint64_t pc = rd_omp_pc, counts[8] = {0};
    static_assert(RD_COUNT(counts) == RD_COUNT(((struct rd_omp_share *)0)->extent), "a count for each dimension");
    struct rd_omp *o = rd_omp_self();
    bool first;
    (void)loc, (void)global;
    if (count > (int)RD_COUNT(counts))
        rd_omp_refuse("ordered loops of more than 8 dimensions");
    struct rd_omp_share *s = rd_omp_enter(o, &first, pc);
    for (int i = 0; i < count; i++)
        counts[i] =
            (d[i].step > 0 ? d[i].low <= d[i].high : d[i].low >= d[i].high) ? position(&d[i], d[i].high) + 1 : 0;
    if (first)
        rd_omp_doacross(s, counts, (uint32_t)count, pc);
    rd_rt_enter();
    struct kmpc_dimension *kept = rd_arena_alloc(&rd_rt.arena, (size_t)count * sizeof *kept);
    rd_rt_leave();
    for (int i = 0; i < count; i++)
        kept[i] = d[i];
    o->me.across = s;
    o->me.lows = &kept->low;
    o->me.share = NULL;
}

/* The index of the iteration at these coordinates in rd_omp_share.posted; false: the loop has no such iteration. */
static bool find_iteration(const struct rd_omp *o, const int64_t *at, uint64_t *found) {
    const struct kmpc_dimension *d = (const struct kmpc_dimension *)(const void *)o->me.lows;
    const struct rd_omp_share *s = o->me.across;
    *found = 0;
    for (uint32_t i = 0; i < s->dimensions; i++) {
        bool in = d[i].step > 0 ? at[i] >= d[i].low && at[i] <= d[i].high : at[i] <= d[i].low && at[i] >= d[i].high;
        if (!in)
            return false;
        *found = *found * s->extent[i] + position(&d[i], at[i]);
    }
    return true;
}

RD_OMP(void, __kmpc_doacross_post, (void *loc, int global, const int64_t *at), (loc, global, at)) {
    struct rd_omp *o = rd_omp_self();
    uint64_t iteration;
    (void)loc, (void)global;
    if (find_iteration(o, at, &iteration))
        rd_omp_post(o, o->me.across, iteration, rd_omp_pc);
}
RD_OMP(void, __kmpc_doacross_wait, (void *loc, int global, const int64_t *at), (loc, global, at)) {
    struct rd_omp *o = rd_omp_self();
    uint64_t iteration;
    (void)loc, (void)global;
    if (find_iteration(o, at, &iteration))
        rd_omp_await_post(o, o->me.across, iteration, rd_omp_pc);
}
RD_OMP(void, __kmpc_doacross_fini, (void *loc, int global), (loc, global)) {
    struct rd_omp *o = rd_omp_self();
    (void)loc, (void)global;
    rd_omp_leave_share(o, o->me.across);
    o->me.across = NULL;
}
