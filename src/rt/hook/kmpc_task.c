/*
 * kmpc_task.c - see omp.h: tasks of clang's OpenMP runtime. Compiled code asks for a block with room for what it
 * wants to give the task, fills it, and then makes the task known; the runtime's own part lies before it.
 */
#include "rt/hook/omp_task.h"

enum { FINAL = 2, DESTRUCTORS = 8, DETACHABLE = 0x40, DEPENDS = 64 };

/* As compiled code knows it. */
struct kmp_task {
    void *shared;
    int (*routine)(int, struct kmp_task *);
    int part;
    void (*destroy)(int, struct kmp_task *);
    void *more;
};

struct kmp_depend {
    uint64_t address;
    size_t size;
    uint8_t flags; /* 1: reads, 2: writes, and others */
};

static void call(struct rd_omp_task *t) {
    struct kmp_task *k = t->data;
    uintptr_t flags = (uintptr_t)t->fn;
    k->routine((int)rd_self->tid, k);
    if (flags & DESTRUCTORS)
        k->destroy((int)rd_self->tid, k);
}

/* Two words before what compiled code has: the task, so that it is found again. */
enum { BEFORE = 16 };

static struct rd_omp_task *task_of(struct kmp_task *k) { return *(struct rd_omp_task **)((char *)k - BEFORE); }

RD_OMP(void *, __kmpc_omp_task_alloc,
       (void *loc, int global, int flags, size_t size, size_t shared, int (*routine)(int, struct kmp_task *)),
       (loc, global, flags, size, shared, routine)) {
    struct rd_omp *o = rd_omp_self();
    size_t all = (size + 15) / 16 * 16;
    (void)loc, (void)global;
    if (flags & DETACHABLE)
        rd_omp_refuse("detached tasks");
    struct rd_omp_task *t = rd_omp_task_new(o, BEFORE + all + shared, 64, rd_omp_pc);
    *(struct rd_omp_task **)t->data = t;
    struct kmp_task *k = (struct kmp_task *)((char *)t->data + BEFORE);
    k->shared = shared ? (char *)k + all : NULL;
    k->routine = routine;
    t->data = k;
    t->fn = (void *)(uintptr_t)flags;
    t->call = call;
    t->final |= (flags & FINAL) != 0;
    return k;
}

static uint32_t read_depends(int count, const struct kmp_depend *d, struct rd_omp_depend *to, uint32_t n) {
    for (int i = 0; i < count; i++) {
        if (n == DEPENDS)
            rd_omp_refuse("a task with more than 64 dependences");
        if (d[i].flags & ~3u)
            rd_omp_refuse("dependences of type mutexinoutset, inoutset or all memory");
        to[n++] = (struct rd_omp_depend){d[i].address, d[i].flags & 2};
    }
    return n;
}

static void make_known(struct kmp_task *k, const struct rd_omp_depend *d, uint32_t count, uint64_t pc) {
    struct rd_omp *o = rd_omp_self();
    struct rd_omp_task *t = task_of(k);
    if (o->me.team->size == 1)
        rd_omp_task_do(o, t, NULL, 0, pc);
    else if (t->final || t->parent->final)
        rd_omp_task_do(o, t, d, count, pc);
    else
        rd_omp_task_defer(o, t, d, count, pc);
}

RD_OMP(int, __kmpc_omp_task, (void *loc, int global, struct kmp_task *k), (loc, global, k)) {
    (void)loc, (void)global;
    make_known(k, NULL, 0, rd_omp_pc);
    return 0;
}

#define DEPEND int count, const struct kmp_depend *depends, int distinct_count, const struct kmp_depend *distinct

RD_OMP(int, __kmpc_omp_task_with_deps, (void *loc, int global, struct kmp_task *k, DEPEND),
       (loc, global, k, count, depends, distinct_count, distinct)) {
    struct rd_omp_depend d[DEPENDS];
    (void)loc, (void)global;
    uint32_t n = read_depends(count, depends, d, 0);
    n = read_depends(distinct_count, distinct, d, n);
    make_known(k, d, n, rd_omp_pc);
    return 0;
}

static void nothing(struct rd_omp_task *t) { (void)t; }

/* A task that is not deferred begins when this has returned. */
RD_OMP(void, __kmpc_omp_wait_deps, (void *loc, int global, DEPEND),
       (loc, global, count, depends, distinct_count, distinct)) {
    uint64_t pc = rd_omp_pc;
    struct rd_omp *o = rd_omp_self();
    struct rd_omp_depend d[DEPENDS];
    (void)loc, (void)global;
    if (o->me.team->size == 1)
        return;
    uint32_t n = read_depends(count, depends, d, 0);
    n = read_depends(distinct_count, distinct, d, n);
    struct rd_omp_task *t = rd_omp_task_new(o, 0, 1, pc);
    t->call = nothing;
    rd_omp_task_do(o, t, d, n, pc);
}

RD_OMP(void, __kmpc_omp_task_begin_if0, (void *loc, int global, struct kmp_task *k), (loc, global, k)) {
    (void)loc, (void)global;
    rd_omp_self()->me.task = task_of(k);
}
RD_OMP(void, __kmpc_omp_task_complete_if0, (void *loc, int global, struct kmp_task *k), (loc, global, k)) {
    struct rd_omp *o = rd_omp_self();
    struct rd_omp_task *t = task_of(k);
    (void)loc, (void)global;
    t->is_over = true;
    o->me.task = t->parent;
    rd_omp_drop(o, t);
}

RD_OMP(int, __kmpc_omp_taskwait, (void *loc, int global), (loc, global)) {
    struct rd_omp *o = rd_omp_self();
    (void)loc, (void)global;
    if (o->me.team->size > 1)
        rd_omp_task_await(o, rd_omp_pc);
    return 0;
}
RD_OMP(int, __kmpc_omp_taskyield, (void *loc, int global, int part), (loc, global, part)) {
    (void)loc, (void)global, (void)part;
    rd_omp_task_yield(rd_omp_self(), rd_omp_pc);
    return 0;
}
RD_OMP(void, __kmpc_taskgroup, (void *loc, int global), (loc, global)) {
    (void)loc, (void)global;
    rd_omp_group_begin(rd_omp_self(), rd_omp_pc);
}
RD_OMP(void, __kmpc_end_taskgroup, (void *loc, int global), (loc, global)) {
    (void)loc, (void)global;
    rd_omp_group_end(rd_omp_self(), rd_omp_pc);
}
