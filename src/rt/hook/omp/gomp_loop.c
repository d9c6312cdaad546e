/*
 * gomp_loop.c - see omp.h: the loops of gcc's OpenMP runtime. There is an entry point *_start for each combination
 * of schedule, counter type and ordered part; all *_next do the same but for the type and the ordered part.
 *
 * Loops count in long from start to end (not included) by incr, or in unsigned long long, where the argument `up`
 * is the direction of counting. omp_share.c counts iterations from 0.
 */
#include "rt/hook/omp/gomp.h"

#include <stdarg.h>

enum { RUNTIME = 0 }; /* in the place of enum rd_omp_schedule: schedule(runtime) */

static bool any_long(long start, long end, long incr) { return incr > 0 ? start < end : start > end; }

static struct rd_omp_share loop(const struct rd_omp *o, unsigned schedule, uint64_t chunk, uint64_t start,
                                uint64_t step, uint64_t count) {
    struct rd_omp_share s = {.first = start, .step = step, .count = count, .schedule = schedule, .chunk = chunk};
    if (schedule == RUNTIME) {
        s.schedule = o->control.schedule;
        s.chunk = o->control.chunk;
    }
    return s;
}

static struct rd_omp_share loop_long(const struct rd_omp *o, unsigned schedule, long chunk, long start, long end,
                                     long incr) {
    uint64_t count = any_long(start, end, incr)
                         ? rd_gomp_iterations(incr > 0, (uint64_t)start, (uint64_t)end, (uint64_t)incr)
                         : 0;
    return loop(o, schedule, (uint64_t)chunk, (uint64_t)start, (uint64_t)incr, count);
}

static struct rd_omp_share loop_ull(const struct rd_omp *o, unsigned schedule, uint64_t chunk, bool up,
                                    uint64_t start, uint64_t end, uint64_t incr) {
    uint64_t count = (up ? start < end : start > end) ? rd_gomp_iterations(up, start, end, incr) : 0;
    return loop(o, schedule, chunk, start, incr, count);
}

/* Takes the next chunk, in the program's counters; false: no chunk is left. */
static bool next(struct rd_omp *o, bool begins, bool ordered, uint64_t *from, uint64_t *to, uint64_t pc) {
    struct rd_omp_range r;
    const struct rd_omp_share *s = o->me.share;
    if (!rd_omp_next(o, begins, ordered, &r, pc))
        return false;
    *from = s->first + r.from * s->step;
    *to = s->first + r.to * s->step;
    return true;
}

static bool start(struct rd_omp *o, const struct rd_omp_share *like, bool ordered, uint64_t *from, uint64_t *to,
                  uint64_t pc) {
    rd_omp_enter_loop(o, like, pc);
    return next(o, true, ordered, from, to, pc);
}

#define U64(p) ((uint64_t *)(void *)(p))

/* LOOP_RUNTIME is for schedule(runtime): its entry points have no argument for the chunk. */
#define LOOP(name, schedule, ordered)                                                                            \
    RD_OMP(bool, GOMP_loop_##name##_start, (long begin, long end, long incr, long chunk, long *from, long *to),  \
           (begin, end, incr, chunk, from, to)) {                                                                \
        struct rd_omp *o = rd_omp_self();                                                                        \
        struct rd_omp_share s = loop_long(o, schedule, chunk, begin, end, incr);                                 \
        return start(o, &s, ordered, U64(from), U64(to), rd_omp_pc);                                             \
    }                                                                                                            \
    RD_OMP(bool, GOMP_loop_ull_##name##_start,                                                                   \
           (bool up, uint64_t begin, uint64_t end, uint64_t incr, uint64_t chunk, uint64_t *from, uint64_t *to), \
           (up, begin, end, incr, chunk, from, to)) {                                                            \
        struct rd_omp *o = rd_omp_self();                                                                        \
        struct rd_omp_share s = loop_ull(o, schedule, chunk, up, begin, end, incr);                              \
        return start(o, &s, ordered, from, to, rd_omp_pc);                                                       \
    }
#define LOOP_RUNTIME(name, ordered)                                                                 \
    RD_OMP(bool, GOMP_loop_##name##_start, (long begin, long end, long incr, long *from, long *to), \
           (begin, end, incr, from, to)) {                                                          \
        struct rd_omp *o = rd_omp_self();                                                           \
        struct rd_omp_share s = loop_long(o, RUNTIME, 0, begin, end, incr);                         \
        return start(o, &s, ordered, U64(from), U64(to), rd_omp_pc);                                \
    }                                                                                               \
    RD_OMP(bool, GOMP_loop_ull_##name##_start,                                                      \
           (bool up, uint64_t begin, uint64_t end, uint64_t incr, uint64_t *from, uint64_t *to),    \
           (up, begin, end, incr, from, to)) {                                                      \
        struct rd_omp *o = rd_omp_self();                                                           \
        struct rd_omp_share s = loop_ull(o, RUNTIME, 0, up, begin, end, incr);                      \
        return start(o, &s, ordered, from, to, rd_omp_pc);                                          \
    }
#define NEXT(name, ordered)                                                                   \
    RD_OMP(bool, GOMP_loop_##name##_next, (long *from, long *to), (from, to)) {               \
        return next(rd_omp_self(), false, ordered, U64(from), U64(to), rd_omp_pc);            \
    }                                                                                         \
    RD_OMP(bool, GOMP_loop_ull_##name##_next, (uint64_t * from, uint64_t * to), (from, to)) { \
        return next(rd_omp_self(), false, ordered, from, to, rd_omp_pc);                      \
    }

LOOP(static, RD_OMP_STATIC, false)
LOOP(dynamic, RD_OMP_DYNAMIC, false)
LOOP(guided, RD_OMP_GUIDED, false)
LOOP(nonmonotonic_dynamic, RD_OMP_DYNAMIC, false)
LOOP(nonmonotonic_guided, RD_OMP_GUIDED, false)
LOOP(ordered_static, RD_OMP_STATIC, true)
LOOP(ordered_dynamic, RD_OMP_DYNAMIC, true)
LOOP(ordered_guided, RD_OMP_GUIDED, true)
LOOP_RUNTIME(runtime, false)
LOOP_RUNTIME(nonmonotonic_runtime, false)
LOOP_RUNTIME(maybe_nonmonotonic_runtime, false)
LOOP_RUNTIME(ordered_runtime, true)
NEXT(static, false)
NEXT(dynamic, false)
NEXT(guided, false)
NEXT(runtime, false)
NEXT(nonmonotonic_dynamic, false)
NEXT(nonmonotonic_guided, false)
NEXT(nonmonotonic_runtime, false)
NEXT(maybe_nonmonotonic_runtime, false)
NEXT(ordered_static, true)
NEXT(ordered_dynamic, true)
NEXT(ordered_guided, true)
NEXT(ordered_runtime, true)

RD_OMP(void, GOMP_loop_end, (void), ()) { rd_gomp_end_construct(rd_omp_pc); }
RD_OMP(bool, GOMP_loop_end_cancel, (void), ()) {
    rd_gomp_end_construct(rd_omp_pc);
    return false;
}
RD_OMP(void, GOMP_loop_end_nowait, (void), ()) { rd_omp_leave(rd_omp_self()); }

/* ---- combined constructs: a parallel region that consists of a loop ---- */

static void parallel(unsigned schedule, void (*fn)(void *), void *data, unsigned threads, long begin, long end,
                     long incr, long chunk, uint64_t pc) {
    struct rd_omp_share s = loop_long(rd_omp_self(), schedule, chunk, begin, end, incr);
    struct rd_omp_body body = rd_gomp_body(fn, data, &s);
    rd_omp_fork(&body, threads, pc);
}

#define PARALLEL(name, schedule)                                                                           \
    RD_OMP(void, GOMP_parallel_loop_##name,                                                                \
           (void (*fn)(void *), void *data, unsigned threads, long begin, long end, long incr, long chunk, \
            unsigned flags),                                                                               \
           (fn, data, threads, begin, end, incr, chunk, flags)) {                                          \
        (void)flags;                                                                                       \
        parallel(schedule, fn, data, threads, begin, end, incr, chunk, rd_omp_pc);                         \
    }
#define PARALLEL_RUNTIME(name)                                                                                  \
    RD_OMP(void, GOMP_parallel_loop_##name,                                                                     \
           (void (*fn)(void *), void *data, unsigned threads, long begin, long end, long incr, unsigned flags), \
           (fn, data, threads, begin, end, incr, flags)) {                                                      \
        (void)flags;                                                                                            \
        parallel(RUNTIME, fn, data, threads, begin, end, incr, 0, rd_omp_pc);                                   \
    }
PARALLEL(static, RD_OMP_STATIC)
PARALLEL(dynamic, RD_OMP_DYNAMIC)
PARALLEL(guided, RD_OMP_GUIDED)
PARALLEL(nonmonotonic_dynamic, RD_OMP_DYNAMIC)
PARALLEL(nonmonotonic_guided, RD_OMP_GUIDED)
PARALLEL_RUNTIME(runtime)
PARALLEL_RUNTIME(nonmonotonic_runtime)
PARALLEL_RUNTIME(maybe_nonmonotonic_runtime)

/* ---- doacross: threads share the outermost loop; a post names an iteration by the counters of all loops ---- */

static bool start_doacross(unsigned schedule, unsigned dimensions, const long *counts, long chunk, long *from,
                           long *to, uint64_t pc) {
    struct rd_omp *o = rd_omp_self();
    bool first;
    struct rd_omp_share *s = rd_omp_enter(o, &first, pc);
    if (first) {
        struct rd_omp_share like = loop(o, schedule, (uint64_t)chunk, 0, 1, (uint64_t)counts[0]);
        s->schedule = like.schedule;
        s->chunk = like.chunk;
        s->count = like.count;
        s->step = 1;
        rd_omp_doacross(s, (const uint64_t *)(const void *)counts, dimensions, pc);
    }
    return next(o, true, false, U64(from), U64(to), pc);
}

#define DOACROSS(name, schedule)                                                         \
    RD_OMP(bool, GOMP_loop_doacross_##name##_start,                                      \
           (unsigned dimensions, long *counts, long chunk, long *from, long *to),        \
           (dimensions, counts, chunk, from, to)) {                                      \
        return start_doacross(schedule, dimensions, counts, chunk, from, to, rd_omp_pc); \
    }
DOACROSS(static, RD_OMP_STATIC)
DOACROSS(dynamic, RD_OMP_DYNAMIC)
DOACROSS(guided, RD_OMP_GUIDED)
RD_OMP(bool, GOMP_loop_doacross_runtime_start, (unsigned dimensions, long *counts, long *from, long *to),
       (dimensions, counts, from, to)) {
    return start_doacross(RUNTIME, dimensions, counts, 0, from, to, rd_omp_pc);
}

RD_OMP(void, GOMP_doacross_post, (long *at), (at)) {
    struct rd_omp *o = rd_omp_self();
    struct rd_omp_share *s = o->me.share;
    uint64_t iteration = 0;
    for (uint32_t i = 0; i < s->dimensions; i++)
        iteration = iteration * s->extent[i] + (uint64_t)at[i];
    rd_omp_post(o, s, iteration, rd_omp_pc);
}

/*
 * The coordinates are variable arguments. This reads 7 of them, more than the caller may have passed; the values of
 * arguments that were not passed are not used. libgomp's own function reads as many as the loop has dimensions.
 */
RD_API(void, GOMP_doacross_wait, long at, ...) {
    static void *real;
    uint64_t pc = RD_PC(), iteration = (uint64_t)at;
    long more[RD_COUNT(((struct rd_omp_share *)0)->extent) - 1];
    static_assert(RD_COUNT(more) == 7, "the call below passes all of them");
    va_list list;
    va_start(list, at);
    for (unsigned i = 0; i < RD_COUNT(more); i++)
        more[i] = va_arg(list, long);
    va_end(list);
    if (!rd_omp_on()) {
        ((void (*)(long, ...))rd_omp_real(&real, "GOMP_doacross_wait"))(at, more[0], more[1], more[2], more[3],
                                                                        more[4], more[5], more[6]);
        return;
    }
    struct rd_omp *o = rd_omp_self();
    const struct rd_omp_share *s = o->me.share;
    for (uint32_t i = 1; i < s->dimensions; i++)
        iteration = iteration * s->extent[i] + (uint64_t)more[i - 1];
    rd_omp_await_post(o, s, iteration, pc);
}
