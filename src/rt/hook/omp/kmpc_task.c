/*
 * kmpc_task.c - see omp.h: tasks of clang's OpenMP runtime. Compiled code asks for a block (struct kmp_task and its
 * private data), fills it, and then hands the task over. A pointer to the rd_omp_task lies before the block.
 */
#include "rt/hook/omp/omp_task.h"

#include <string.h>

enum { FINAL = 2, DESTRUCTORS = 8, DETACHABLE = 0x40 }; /* bits of kmp_tasking_flags_t */
enum { DEPENDS = 64 };                                  /* most depend clauses of one task */

/* kmp_task_t of libomp, as compiled code knows it. */
struct kmp_task {
    void *shared; /* pointers to shared variables */
    int (*routine)(int, struct kmp_task *);
    int part;                                /* of an untied task */
    void (*destroy)(int, struct kmp_task *); /* data1 */
    void *more;                              /* data2 */
};

/* kmp_depend_info_t of libomp. */
struct kmp_depend {
    uint64_t address;
    size_t size;
    uint8_t flags; /* 1: in, 2: out, 3: inout; further bits for the other types */
};

static_assert(sizeof(struct kmp_task) == 40 && sizeof(struct kmp_depend) == 24, "as in libomp");

static void call(struct rd_omp_task *t) {
    struct kmp_task *k = t->data;
    uintptr_t flags = (uintptr_t)t->fn;
    k->routine((int)rd_self->tid, k);
    if (flags & DESTRUCTORS)
        k->destroy((int)rd_self->tid, k);
}

/* Bytes before the block that compiled code has: the pointer to the rd_omp_task, and padding. */
enum { BEFORE = 16 };
static_assert(BEFORE >= sizeof(struct rd_omp_task *) && BEFORE % 16 == 0, "the block stays aligned to 16 bytes");

static struct rd_omp_task *task_of(struct kmp_task *k) { return *(struct rd_omp_task **)((char *)k - BEFORE); }

/* Sets up the block of a new task; returns the part that compiled code gets, which is aligned to 16 bytes. */
static struct kmp_task *place_block(struct rd_omp_task *t) {
    RD_ASSERT(t->room >= BEFORE + sizeof(struct kmp_task));
    *(struct rd_omp_task **)t->data = t;
    t->data = (char *)t->data + BEFORE;
    t->call = call;
    return t->data;
}

RD_OMP(void *, __kmpc_omp_task_alloc,
       (void *loc, int global, int flags, size_t size, size_t shared, int (*routine)(int, struct kmp_task *)),
       (loc, global, flags, size, shared, routine)) {
    struct rd_omp *o = rd_omp_self();
    size_t all = (size + 15) / 16 * 16;
    (void)loc, (void)global;
    if (flags & DETACHABLE)
        rd_omp_refuse("detached tasks");
    struct rd_omp_task *t = rd_omp_task_new(o, BEFORE + all + shared, 64, rd_omp_pc);
    struct kmp_task *k = place_block(t);
    k->shared = shared ? (char *)k + all : NULL;
    k->routine = routine;
    t->fn = (void *)(uintptr_t)flags;
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

RD_OMP(int, __kmpc_omp_task, (void *loc, int global, struct kmp_task *k), (loc, global, k)) {
    (void)loc, (void)global;
    rd_omp_task_start(rd_omp_self(), task_of(k), false, NULL, 0, rd_omp_pc);
    return 0;
}

#define DEPEND int count, const struct kmp_depend *depends, int distinct_count, const struct kmp_depend *distinct

RD_OMP(int, __kmpc_omp_task_with_deps, (void *loc, int global, struct kmp_task *k, DEPEND),
       (loc, global, k, count, depends, distinct_count, distinct)) {
    struct rd_omp_depend d[DEPENDS];
    (void)loc, (void)global;
    uint32_t n = read_depends(count, depends, d, 0);
    n = read_depends(distinct_count, distinct, d, n);
    rd_omp_task_start(rd_omp_self(), task_of(k), false, d, n, rd_omp_pc);
    return 0;
}

/* Compiled code executes an undeferred task itself, when this function has returned. */
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
    rd_omp_task_await_depends(o, d, n, pc);
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

/* ---- taskloop: compiled code makes one task, the pattern; copies of it execute parts of the iterations ---- */

struct kmpc_taskloop {
    struct kmp_task *pattern;
    uint64_t *low, *high; /* the bounds of the loop, in the pattern's block */
    int64_t step;
    uint64_t count, tasks;                                              /* iterations; tasks that execute them */
    void (*copy)(struct kmp_task *to, struct kmp_task *from, int last); /* the program's; NULL: none */
    bool at_once;                                                       /* the tasks are not deferred */
};

static struct kmp_task *copy_pattern(struct rd_omp *o, const struct kmpc_taskloop *l, uint64_t pc) {
    const struct rd_omp_task *from = task_of(l->pattern);
    struct rd_omp_task *t = rd_omp_task_new(o, from->room, 64, pc);
    struct kmp_task *k = place_block(t);
    t->fn = from->fn;
    t->final |= from->final;
    rd_rt_enter();
    memcpy(k, l->pattern, from->room - BEFORE);
    rd_rt_leave();
    if (k->shared)
        k->shared = (char *)k + ((char *)k->shared - (char *)l->pattern);
    return k;
}

static void make_tasks(struct rd_omp *o, const struct kmpc_taskloop *l, uint64_t pc) {
    const uint64_t low = *l->low, by = (uint64_t)l->step;
    for (uint64_t i = 0, at = 0; i < l->tasks; i++) {
        uint64_t length = l->count / l->tasks + (i < l->count % l->tasks);
        struct kmp_task *k = copy_pattern(o, l, pc);
        *(uint64_t *)((char *)k + ((char *)l->low - (char *)l->pattern)) = low + at * by;
        *(uint64_t *)((char *)k + ((char *)l->high - (char *)l->pattern)) = low + (at + length - 1) * by;
        at += length;
        RD_CHECK(at <= l->count);
        if (l->copy)
            l->copy(k, l->pattern, i == l->tasks - 1);
        rd_omp_task_start(o, task_of(k), l->at_once, NULL, 0, pc);
    }
}

RD_OMP(void, __kmpc_taskloop,
       (void *loc, int global, struct kmp_task *k, int deferred, uint64_t *low, uint64_t *high, int64_t step,
        int no_group, int how, uint64_t amount, void *copy),
       (loc, global, k, deferred, low, high, step, no_group, how, amount, copy)) {
    enum { BY_SIZE = 1, BY_COUNT = 2, EACH = 10 /* tasks for each thread, without grainsize and num_tasks */ };
    uint64_t pc = rd_omp_pc;
    struct rd_omp *o = rd_omp_self();
    struct kmpc_taskloop l = {.pattern = k, .low = low, .high = high, .step = step, .at_once = !deferred};
    l.copy = (void (*)(struct kmp_task *, struct kmp_task *, int))copy;
    (void)loc, (void)global;
    if (step > 0 ? (int64_t)*low <= (int64_t)*high : (int64_t)*low >= (int64_t)*high)
        l.count = (step > 0 ? *high - *low : *low - *high) / (uint64_t)(step > 0 ? step : -step) + 1;
    l.tasks = how == BY_COUNT ? amount : (uint64_t)o->me.team->size * EACH;
    if (how == BY_SIZE)
        l.tasks = RD_MAX(l.count / RD_MAX(amount, (uint64_t)1), (uint64_t)1);
    l.tasks = RD_MIN(l.tasks, l.count);
    if (!no_group)
        rd_omp_group_begin(o, pc);
    make_tasks(o, &l, pc);
    rd_omp_drop(o, task_of(k));
    if (!no_group)
        rd_omp_group_end(o, pc);
}
