/* gomp_task.c - see omp.h: tasks of gcc's OpenMP runtime. */
#include "rt/hook/omp/gomp.h"
#include "rt/hook/omp/omp_task.h"

#include <string.h>

enum { /* GOMP_TASK_FLAG_* of libgomp */
       FINAL = 2,
       DEPEND = 8,
       UP = 0x100,
       GRAINSIZE = 0x200,
       IF = 0x400,
       NOGROUP = 0x800,
       REDUCTION = 0x1000,
       DETACH = 0x2000,
};
enum { DEPENDS = 64 }; /* most depend clauses of one task */

static void call(struct rd_omp_task *t) { ((void (*)(void *))t->fn)(t->data); }

/*
 * gcc's list of depend clauses: their number, the number of them that are out or inout, then the addresses, out and
 * inout first. A longer form begins with 0: 0, number, out and inout, mutexinoutset, in, then the addresses.
 */
static uint32_t read_depends(void **list, struct rd_omp_depend *to) {
    uintptr_t count = (uintptr_t)list[0], writes = (uintptr_t)list[1];
    void **at = list + 2;
    if (!count) {
        count = (uintptr_t)list[1];
        writes = (uintptr_t)list[2];
        uintptr_t exclusive = (uintptr_t)list[3], reads = (uintptr_t)list[4];
        if (exclusive || writes + reads != count)
            rd_omp_refuse("dependences of type mutexinoutset, inoutset or depobj");
        at = list + 5;
    }
    if (count > DEPENDS)
        rd_omp_refuse("a task with more than 64 dependences");
    for (uintptr_t i = 0; i < count; i++)
        to[i] = (struct rd_omp_depend){(uintptr_t)at[i], i < writes};
    return (uint32_t)count;
}

struct gomp_task_request {
    void (*fn)(void *);
    void *data;
    void (*copy)(void *, void *);
    long size, align;
    unsigned flags;
};

static struct rd_omp_task *make(struct rd_omp *o, const struct gomp_task_request *m, uint64_t pc) {
    struct rd_omp_task *t = rd_omp_task_new(o, (size_t)m->size, (size_t)m->align, pc);
    t->fn = (void *)m->fn;
    t->call = call;
    t->final |= (m->flags & FINAL) != 0;
    if (m->copy) {
        m->copy(t->data, m->data);
        return t;
    }
    rd_rt_enter();
    memcpy(t->data, m->data, (size_t)m->size);
    rd_rt_leave();
    return t;
}

RD_OMP(void, GOMP_task,
       (void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align, bool deferred,
        unsigned flags, void **depends, int priority, void *detach),
       (fn, data, copy, size, align, deferred, flags, depends, priority, detach)) {
    uint64_t pc = rd_omp_pc;
    struct rd_omp *o = rd_omp_self();
    struct gomp_task_request m = {fn, data, copy, size, align, flags};
    struct rd_omp_depend d[DEPENDS];
    (void)priority, (void)detach;
    if (flags & DETACH)
        rd_omp_refuse("detached tasks");
    uint32_t count = flags & DEPEND && o->me.team->size > 1 ? read_depends(depends, d) : 0;
    struct rd_omp_task *t = make(o, &m, pc);
    rd_omp_task_start(o, t, !deferred, d, count, pc);
}

RD_OMP(void, GOMP_taskwait, (void), ()) {
    struct rd_omp *o = rd_omp_self();
    if (o->me.team->size > 1)
        rd_omp_task_await(o, rd_omp_pc);
}

RD_OMP(void, GOMP_taskwait_depend, (void **depends), (depends)) {
    uint64_t pc = rd_omp_pc;
    struct rd_omp *o = rd_omp_self();
    struct rd_omp_depend d[DEPENDS];
    if (o->me.team->size == 1)
        return;
    uint32_t count = read_depends(depends, d);
    rd_omp_task_await_depends(o, d, count, pc);
}

RD_OMP(void, GOMP_taskyield, (void), ()) { rd_omp_task_yield(rd_omp_self(), rd_omp_pc); }
RD_OMP(void, GOMP_taskgroup_start, (void), ()) { rd_omp_group_begin(rd_omp_self(), rd_omp_pc); }
RD_OMP(void, GOMP_taskgroup_end, (void), ()) { rd_omp_group_end(rd_omp_self(), rd_omp_pc); }

/* ---- taskloop: the data of each task begins with the first and the end counter of its part of the loop ---- */

static void do_loop(struct rd_omp *o, const struct gomp_task_request *m, uint64_t asked, uint64_t start,
                    uint64_t step, uint64_t count, uint64_t pc) {

    uint64_t tasks = asked ? asked : o->me.team->size;
    if (m->flags & GRAINSIZE)
        tasks = count / RD_MAX(asked, (uint64_t)1);
    tasks = RD_MAX(RD_MIN(tasks, count), (uint64_t)1);
    for (uint64_t i = 0, at = 0; i < tasks && count; i++) {
        uint64_t length = count / tasks + (i < count % tasks);
        struct rd_omp_task *t = make(o, m, pc);
        uint64_t *range = t->data;
        range[0] = start + at * step;
        range[1] = start + (at += length) * step;
        RD_CHECK(at <= count);
        rd_omp_task_start(o, t, !(m->flags & IF), NULL, 0, pc);
    }
}

static void taskloop(const struct gomp_task_request *m, uint64_t tasks, bool up, bool any, uint64_t start,
                     uint64_t end, uint64_t step, uint64_t pc) {
    struct rd_omp *o = rd_omp_self();
    if (m->flags & REDUCTION)
        rd_omp_refuse("reductions over tasks");
    if (!(m->flags & NOGROUP))
        rd_omp_group_begin(o, pc);
    do_loop(o, m, tasks, start, step, any ? rd_gomp_iterations(up, start, end, step) : 0, pc);
    if (!(m->flags & NOGROUP))
        rd_omp_group_end(o, pc);
}

RD_OMP(void, GOMP_taskloop,
       (void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align, unsigned flags,
        unsigned long tasks, int priority, long start, long end, long step),
       (fn, data, copy, size, align, flags, tasks, priority, start, end, step)) {
    struct gomp_task_request m = {fn, data, copy, size, align, flags};
    (void)priority;
    taskloop(&m, tasks, step > 0, step > 0 ? start < end : start > end, (uint64_t)start, (uint64_t)end,
             (uint64_t)step, rd_omp_pc);
}
RD_OMP(void, GOMP_taskloop_ull,
       (void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long align, unsigned flags,
        unsigned long tasks, int priority, uint64_t start, uint64_t end, uint64_t step),
       (fn, data, copy, size, align, flags, tasks, priority, start, end, step)) {
    struct gomp_task_request m = {fn, data, copy, size, align, flags};
    bool up = flags & UP;
    (void)priority;
    taskloop(&m, tasks, up, up ? start < end : start > end, start, end, step, rd_omp_pc);
}
