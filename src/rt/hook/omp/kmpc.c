/*
 * kmpc.c - see omp.h: the entry points of clang's OpenMP runtime (libomp), except loops (kmpc_loop.c) and tasks
 * (kmpc_task.c). The first argument of most is the source location (ident_t), the second the global thread number;
 * neither is used.
 */
#include "rt/hook/omp/omp.h"

#include <stdarg.h>

enum { FEW = 20, ARGUMENTS = 200 }; /* arguments of an outlined region: the usual and the supported maximum */

#define T10(a, i) a[i], a[i + 1], a[i + 2], a[i + 3], a[i + 4], a[i + 5], a[i + 6], a[i + 7], a[i + 8], a[i + 9]
#define T100(a, i)                                                                                             \
    T10(a, i), T10(a, i + 10), T10(a, i + 20), T10(a, i + 30), T10(a, i + 40), T10(a, i + 50), T10(a, i + 60), \
        T10(a, i + 70), T10(a, i + 80), T10(a, i + 90)

static_assert((int)FEW == 2 * 10 && (int)ARGUMENTS == 2 * 100, "call_body passes two T10 or two T100");

typedef void (*microtask)(int *, int *, ...);

/* Passes FEW or ARGUMENTS arguments: in both ABIs more arguments than a function declares do no harm. */
static void call_body(const struct rd_omp_body *b, uint32_t num) {
    int global = (int)rd_self->tid, bound = (int)num;
    void **a = b->args;
    RD_CHECK(b->count <= ARGUMENTS);
    if (b->count <= FEW)
        ((microtask)b->fn)(&global, &bound, T10(a, 0), T10(a, 10));
    else
        ((microtask)b->fn)(&global, &bound, T100(a, 0), T100(a, 100));
}

RD_API(void, __kmpc_fork_call, void *loc, int count, microtask fn, ...) {
    static void *real;
    uint64_t pc = RD_PC();
    void *a[ARGUMENTS] = {NULL};
    va_list list;
    va_start(list, fn);
    for (int i = 0; i < count && i < ARGUMENTS; i++)
        a[i] = va_arg(list, void *);
    va_end(list);
    if (count > ARGUMENTS)
        rd_omp_refuse("a parallel region with more than 200 shared variables");
    if (!rd_omp_on()) {
        ((void (*)(void *, int, microtask, ...))rd_omp_real(&real, "__kmpc_fork_call"))(loc, count, fn, T100(a, 0),
                                                                                        T100(a, 100));
        return;
    }
    rd_omp_self();
    struct rd_omp_body body = {call_body, (uintptr_t)fn, (void *)fn, NULL, a, count, NULL};
    rd_omp_fork(&body, 0, pc);
}

/* ---- serialised regions: parallel regions whose if clause is false ---- */

struct rd_omp_serial {
    struct rd_omp_serial *next;    /* the enclosing serialised region of the thread */
    struct rd_omp_member before;   /* the thread's state before the region */
    struct rd_omp_control control; /* its control variables before the region */
    struct rd_omp_team team;       /* the region's team of one thread */
};

RD_OMP(void, __kmpc_serialized_parallel, (void *loc, int global), (loc, global)) {
    struct rd_omp *o = rd_omp_self();
    (void)loc, (void)global;
    struct rd_omp_serial *s = rd_omp_zeroed(sizeof *s);
    s->next = o->serial;
    s->before = o->me;
    s->control = o->control;
    s->team = (struct rd_omp_team){.size = 1, .outer = o->me.team, .outer_num = o->me.num};
    s->team.level = o->me.team->level + 1;
    s->team.active = o->me.team->active;
    s->team.busy = o->me.team->busy;
    o->serial = s;
    o->wanted = 0;
    o->me = (struct rd_omp_member){.team = &s->team};
}
RD_OMP(void, __kmpc_end_serialized_parallel, (void *loc, int global), (loc, global)) {
    struct rd_omp *o = rd_omp_self();
    (void)loc, (void)global;
    rd_omp_tasks_free(&o->serial->team);
    o->me = o->serial->before;
    o->control = o->serial->control;
    o->serial = o->serial->next;
}

RD_OMP(void, __kmpc_push_num_threads, (void *loc, int global, int count), (loc, global, count)) {
    (void)loc, (void)global;
    rd_omp_self()->wanted = count > 0 ? (uint32_t)count : 0;
}
RD_OMP(void, __kmpc_push_proc_bind, (void *loc, int global, int how), (loc, global, how)) {
    (void)loc, (void)global, (void)how; /* on which processor a thread runs makes no difference */
}
RD_OMP(int, __kmpc_global_thread_num, (void *loc), (loc)) {
    (void)loc;
    return (int)rd_self->tid;
}
RD_OMP(int, __kmpc_global_num_threads, (void *loc), (loc)) {
    (void)loc;
    return (int)rd_omp_self()->me.team->size;
}
RD_OMP(int, __kmpc_bound_thread_num, (void *loc), (loc)) {
    (void)loc;
    return (int)rd_omp_self()->me.num;
}
RD_OMP(int, __kmpc_bound_num_threads, (void *loc), (loc)) {
    (void)loc;
    return (int)rd_omp_self()->me.team->size;
}
RD_OMP(int, __kmpc_in_parallel, (void *loc), (loc)) {
    (void)loc;
    return rd_omp_self()->me.team->active > 0;
}
RD_OMP(int, __kmpc_ok_to_fork, (void *loc), (loc)) {
    (void)loc;
    return 1;
}

/* ---- barriers, critical sections, single ---- */

RD_OMP(void, __kmpc_flush, (void *loc), (loc)) {
    (void)loc;
    if (rd_rt.threaded && rd_rt.engine.world.unjoined)
        rd_rt_op((struct rd_op){.kind = RD_OP_FENCE, .order = __ATOMIC_SEQ_CST, .pc = rd_omp_pc});
}
RD_OMP(void, __kmpc_barrier, (void *loc, int global), (loc, global)) {
    (void)loc, (void)global;
    rd_omp_barrier(rd_omp_pc);
}
RD_OMP(int, __kmpc_cancel_barrier, (void *loc, int global), (loc, global)) {
    (void)loc, (void)global;
    rd_omp_barrier(rd_omp_pc);
    return 0;
}
RD_OMP(int, __kmpc_cancel, (void *loc, int global, int kind), (loc, global, kind)) {
    (void)loc, (void)global, (void)kind; /* cancellation is off: omp_env.c refuses OMP_CANCELLATION=true */
    rd_omp_self();
    return 0;
}
RD_OMP(int, __kmpc_cancellationpoint, (void *loc, int global, int kind), (loc, global, kind)) {
    (void)loc, (void)global, (void)kind;
    rd_omp_self();
    return 0;
}
RD_OMP(int, __kmpc_master, (void *loc, int global), (loc, global)) {
    (void)loc, (void)global;
    return rd_omp_self()->me.num == 0;
}
RD_OMP(void, __kmpc_end_master, (void *loc, int global), (loc, global)) { (void)loc, (void)global; }
RD_OMP(int, __kmpc_masked, (void *loc, int global, int filter), (loc, global, filter)) {
    (void)loc, (void)global;
    return (int)rd_omp_self()->me.num == filter;
}
RD_OMP(void, __kmpc_end_masked, (void *loc, int global), (loc, global)) { (void)loc, (void)global; }

RD_OMP(void, __kmpc_critical, (void *loc, int global, void *name), (loc, global, name)) {
    (void)loc, (void)global;
    rd_omp_critical_begin(name, rd_omp_pc);
}
RD_OMP(void, __kmpc_critical_with_hint, (void *loc, int global, void *name, unsigned hint),
       (loc, global, name, hint)) {
    (void)loc, (void)global, (void)hint;
    rd_omp_critical_begin(name, rd_omp_pc);
}
RD_OMP(void, __kmpc_end_critical, (void *loc, int global, void *name), (loc, global, name)) {
    (void)loc, (void)global;
    rd_omp_critical_end(name, rd_omp_pc);
}

RD_OMP(int, __kmpc_single, (void *loc, int global), (loc, global)) {
    (void)loc, (void)global;
    return rd_omp_single(rd_omp_pc);
}
RD_OMP(void, __kmpc_end_single, (void *loc, int global), (loc, global)) { (void)loc, (void)global; }

RD_OMP(void, __kmpc_copyprivate,
       (void *loc, int global, size_t size, void *data, void (*copy)(void *, void *), int has_it),
       (loc, global, size, data, copy, has_it)) {
    uint64_t pc = rd_omp_pc;
    struct rd_omp_team *t = rd_omp_self()->me.team;
    (void)loc, (void)global, (void)size;
    if (has_it)
        t->copy = data;
    rd_omp_barrier(pc);
    if (!has_it)
        copy(data, t->copy);
    rd_omp_barrier(pc);
}

/* ---- reductions: each thread adds its own part in a critical section (result 1), in any order of threads ---- */

typedef void (*reducer)(void *, void *);
#define REDUCE (void *loc, int global, int count, size_t size, void *data, reducer add, void *name)

RD_OMP(int, __kmpc_reduce_nowait, REDUCE, (loc, global, count, size, data, add, name)) {
    (void)loc, (void)global, (void)count, (void)size, (void)data, (void)add;
    rd_omp_critical_begin(name, rd_omp_pc);
    return 1;
}
RD_OMP(void, __kmpc_end_reduce_nowait, (void *loc, int global, void *name), (loc, global, name)) {
    (void)loc, (void)global;
    rd_omp_critical_end(name, rd_omp_pc);
}
RD_OMP(int, __kmpc_reduce, REDUCE, (loc, global, count, size, data, add, name)) {
    (void)loc, (void)global, (void)count, (void)size, (void)data, (void)add;
    rd_omp_critical_begin(name, rd_omp_pc);
    return 1;
}
RD_OMP(void, __kmpc_end_reduce, (void *loc, int global, void *name), (loc, global, name)) {
    uint64_t pc = rd_omp_pc;
    (void)loc, (void)global;
    rd_omp_critical_end(name, pc);
    rd_omp_barrier(pc);
}
