/*
 * gomp.c - see omp.h: the entry points of gcc's OpenMP runtime (libgomp), except loops (gomp_loop.c) and tasks
 * (gomp_task.c).
 */
#include "rt/hook/omp/gomp.h"

#include <dlfcn.h>

static void call_body(const struct rd_omp_body *b, uint32_t num) {
    (void)num;
    ((void (*)(void *))b->fn)(b->data);
}

struct rd_omp_body rd_gomp_body(void (*fn)(void *), void *data, const struct rd_omp_share *loop) {
    return (struct rd_omp_body){call_body, (uintptr_t)fn, (void *)fn, data, NULL, 0, loop};
}

RD_OMP(void, GOMP_parallel, (void (*fn)(void *), void *data, unsigned threads, unsigned flags),
       (fn, data, threads, flags)) {
    struct rd_omp_body body = rd_gomp_body(fn, data, NULL);
    (void)flags;
    rd_omp_fork(&body, threads, rd_omp_pc);
}

RD_OMP(void, GOMP_parallel_sections,
       (void (*fn)(void *), void *data, unsigned threads, unsigned count, unsigned flags),
       (fn, data, threads, count, flags)) {
    struct rd_omp_share sections = {.schedule = RD_OMP_DYNAMIC, .count = count, .chunk = 1};
    struct rd_omp_body body = rd_gomp_body(fn, data, &sections);
    (void)flags;
    rd_omp_fork(&body, threads, rd_omp_pc);
}

RD_OMP(void, GOMP_barrier, (void), ()) { rd_omp_barrier(rd_omp_pc); }
RD_OMP(bool, GOMP_barrier_cancel, (void), ()) {
    rd_omp_barrier(rd_omp_pc);
    return false;
}
RD_OMP(bool, GOMP_cancel, (int which, bool wanted), (which, wanted)) {
    (void)which, (void)wanted; /* cancellation is off: omp_env.c refuses OMP_CANCELLATION=true */
    rd_omp_self();
    return false;
}
RD_OMP(bool, GOMP_cancellation_point, (int which), (which)) {
    (void)which;
    rd_omp_self();
    return false;
}

/* ---- critical, atomic: the unnamed locks have no address in the program; libgomp's function is the object ---- */

static void *critical, *atomic_section;

RD_OMP(void, GOMP_critical_start, (void), ()) {
    rd_omp_critical_begin(rd_omp_real(&critical, "GOMP_critical_start"), rd_omp_pc);
}
RD_OMP(void, GOMP_critical_end, (void), ()) {
    rd_omp_critical_end(rd_omp_real(&critical, "GOMP_critical_start"), rd_omp_pc);
}
RD_OMP(void, GOMP_critical_name_start, (void **name), (name)) { rd_omp_critical_begin(name, rd_omp_pc); }
RD_OMP(void, GOMP_critical_name_end, (void **name), (name)) { rd_omp_critical_end(name, rd_omp_pc); }
RD_OMP(void, GOMP_atomic_start, (void), ()) {
    rd_omp_critical_begin(rd_omp_real(&atomic_section, "GOMP_atomic_start"), rd_omp_pc);
}
RD_OMP(void, GOMP_atomic_end, (void), ()) {
    rd_omp_critical_end(rd_omp_real(&atomic_section, "GOMP_atomic_start"), rd_omp_pc);
}

/* ---- single ---- */

RD_OMP(bool, GOMP_single_start, (void), ()) { return rd_omp_single(rd_omp_pc); }

RD_OMP(void *, GOMP_single_copy_start, (void), ()) {
    uint64_t pc = rd_omp_pc;
    struct rd_omp *o = rd_omp_self();
    bool first;
    struct rd_omp_share *s = rd_omp_enter(o, &first, pc);
    if (first)
        return NULL;
    rd_omp_barrier(pc);
    rd_omp_leave(o);
    return s->copy;
}
RD_OMP(void, GOMP_single_copy_end, (void *data), (data)) {
    uint64_t pc = rd_omp_pc;
    struct rd_omp *o = rd_omp_self();
    o->me.share->copy = data;
    rd_omp_leave(o);
    rd_omp_barrier(pc);
}

/* ---- sections: iterations from 1, one at a time ---- */

static unsigned next_section(struct rd_omp *o, bool begins, uint64_t pc) {
    struct rd_omp_range r;
    return rd_omp_next(o, begins, false, &r, pc) ? (unsigned)r.from + 1 : 0;
}

RD_OMP(unsigned, GOMP_sections_start, (unsigned count), (count)) {
    uint64_t pc = rd_omp_pc;
    struct rd_omp *o = rd_omp_self();
    bool first;
    struct rd_omp_share *s = rd_omp_enter(o, &first, pc);
    if (first) {
        s->schedule = RD_OMP_DYNAMIC;
        s->count = count;
        s->chunk = 1;
    }
    return next_section(o, true, pc);
}
RD_OMP(unsigned, GOMP_sections_next, (void), ()) { return next_section(rd_omp_self(), false, rd_omp_pc); }
void rd_gomp_end_construct(uint64_t pc) {
    rd_omp_leave(rd_omp_self());
    rd_omp_barrier(pc);
}

RD_OMP(void, GOMP_sections_end, (void), ()) { rd_gomp_end_construct(rd_omp_pc); }
RD_OMP(bool, GOMP_sections_end_cancel, (void), ()) {
    rd_gomp_end_construct(rd_omp_pc);
    return false;
}
RD_OMP(void, GOMP_sections_end_nowait, (void), ()) { rd_omp_leave(rd_omp_self()); }

/* ---- ordered ---- */

RD_OMP(void, GOMP_ordered_start, (void), ()) {
    uint64_t pc = rd_omp_pc;
    struct rd_omp *o = rd_omp_self();
    if (!o->me.share)
        return;
    rd_omp_await_turn(o, pc);
    if (o->me.team->size > 1)
        rd_omp_op(RD_OP_ACQUIRE, &o->me.share->ordered, pc);
}
RD_OMP(void, GOMP_ordered_end, (void), ()) {
    struct rd_omp *o = rd_omp_self();
    if (o->me.share && o->me.team->size > 1)
        rd_omp_op(RD_OP_RELEASE, &o->me.share->ordered, rd_omp_pc);
}
