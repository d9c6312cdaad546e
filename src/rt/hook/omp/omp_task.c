/*
 * omp_task.c - see omp.h: explicit tasks. A deferred task enters the team's list of ready tasks when all tasks that
 * it depends on have ended. A thread takes a task from the list at OpenMP's task scheduling points: a barrier,
 * taskwait, the end of a taskgroup, taskyield. The task that it takes is a choice among all that it may take, so
 * every order is explored, not only the orders of one runtime. As tasks are tied, a thread at a taskwait may take
 * only descendants of the task that waits.
 *
 * Invariant: `sched` of the team stands for all state of its tasks: the list, the counters and the dependences
 * change only in steps on `sched` (arrivals at barriers: in steps on `over`).
 *
 * Ordered for the race detector: the creation of a task before its beginning; its end before the parent's taskwait,
 * the end of its group, the tasks that depend on it, and the next barrier. Two tasks that one thread executes one
 * after the other are ordered by that thread, too, which OpenMP does not promise; in another execution two threads
 * execute them.
 *
 * Tasks and groups live until the team ends: other tasks refer to them, and a block that was used again would be an
 * object with no order between its two uses.
 */
#include "rt/hook/omp/omp_task.h"

#include <string.h>

void *rd_omp_block(struct rd_omp *o, size_t size, uint64_t pc) {
    void **block = rd_heap_alloc(size, 16, pc);
    if (!block)
        rd_omp_refuse("more tasks than there is memory for");
    rd_rt_enter();
    memset(block, 0, size);
    rd_rt_leave();
    *block = o->me.team->made;
    o->me.team->made = (void *)block;
    return block;
}

void rd_omp_tasks_free(struct rd_omp_team *t) {
    for (void **block = (void **)t->made, **next; block; block = next) {
        next = *block;
        rd_heap_free(block, (uintptr_t)rd_omp_tasks_free);
    }
    t->made = NULL;
}

void rd_omp_drop(struct rd_omp *o, void *block) {
    if (o->me.team->size > 1 || (void *)o->me.team->made != block)
        return;
    o->me.team->made = *(void **)block;
    rd_heap_free(block, (uintptr_t)rd_omp_tasks_free);
}

/* The implicit task is an object of operations only in a team of several threads. */
struct rd_omp_task *rd_omp_task_now(struct rd_omp *o, uint64_t pc) {
    if (!o->me.task)
        o->me.task =
            o->me.team->size > 1 ? rd_omp_block(o, sizeof *o->me.task, pc) : rd_omp_zeroed(sizeof *o->me.task);
    return o->me.task;
}

struct rd_omp_task *rd_omp_task_new(struct rd_omp *o, size_t room, size_t align, uint64_t pc) {
    RD_CHECK(align > 0);
    struct rd_omp_task *parent = rd_omp_task_now(o, pc);
    struct rd_omp_task *t = rd_omp_block(o, sizeof *t + room + align, pc);
    t->parent = parent;
    t->in = parent->group ? parent->group : parent->in;
    t->final = parent->final;
    t->room = room;
    t->data = (void *)(((uintptr_t)(t + 1) + align - 1) / RD_MAX(align, (size_t)1) * RD_MAX(align, (size_t)1));
    return t;
}

/* ---- dependences ---- */

/* An address in depend clauses of sibling tasks. */
struct rd_omp_dep {
    struct rd_omp_dep *next;
    uint64_t address;
    struct rd_omp_task *writer;  /* the last task with out or inout; NULL: none */
    struct rd_omp_edge *readers; /* the tasks with in since then */
};

static void push(struct rd_omp_edge **list, struct rd_omp_task *t) {
    struct rd_omp_edge *e = rd_omp_zeroed(sizeof *e);
    *e = (struct rd_omp_edge){t, *list};
    *list = e;
}

/* Makes `t` wait for the end of `before` (NULL: no task). */
static void after(struct rd_omp_task *t, struct rd_omp_task *before) {
    if (!before || before == t)
        return;
    push(&t->before, before);
    if (before->is_over)
        return;
    push(&before->successors, t);
    t->waits++;
}

static void depend(struct rd_omp_task *t, const struct rd_omp_depend *d) {
    struct rd_omp_dep *at = t->parent->deps;
    while (at && at->address != d->address)
        at = at->next;
    if (!at) {
        at = rd_omp_zeroed(sizeof *at);
        *at = (struct rd_omp_dep){.next = t->parent->deps, .address = d->address};
        t->parent->deps = at;
    }
    after(t, at->writer);
    if (!d->writes) {
        push(&at->readers, t);
        return;
    }
    for (const struct rd_omp_edge *e = at->readers; e; e = e->next)
        after(t, e->task);
    at->writer = t;
    at->readers = NULL;
}

/* ---- the list of ready tasks ---- */

static void make_ready(struct rd_omp_team *team, struct rd_omp_task *t) {
    struct rd_omp_task **end = &team->ready;
    while (*end)
        end = &(*end)->next_ready;
    t->next_ready = NULL;
    *end = t;
}

/* Returns whether the task descends from the one that the thread's wait names (or is it). */
static bool may_take(const struct rd_omp *o, const struct rd_omp_task *t) {
    while (t && t != o->tasks.of)
        t = t->parent;
    return t == o->tasks.of; /* NULL: any */
}

static bool wait_is_over(const struct rd_omp *o) {
    const struct rd_omp_wait_for *w = &o->tasks;
    const struct rd_omp_team *t = o->me.team;
    if (w->barrier)
        return t->round != w->round || (t->arrived == t->size && t->unfinished == 0);
    if (w->end)
        return t->done == t->size - 1 && t->unfinished == 0;
    return w->zero && *w->zero == 0;
}

uint32_t rd_omp_task_ways(const struct rd_omp *o) {
    uint32_t n = o->wait == RD_OMP_MAY_TASK;
    if (o->wait == RD_OMP_TASK && wait_is_over(o))
        return 1;
    for (const struct rd_omp_task *t = o->me.team->ready; t && n < RD_OMP_CHOICES; t = t->next_ready)
        n += may_take(o, t);
    return n;
}

/* Takes the task with index `which` among those that the thread may take off the list. */
static struct rd_omp_task *take(const struct rd_omp *o, uint64_t which) {
    struct rd_omp_task **at = &o->me.team->ready;
    for (;; at = &(*at)->next_ready) {
        RD_CHECK(*at);
        if (may_take(o, *at) && which-- == 0)
            break;
    }
    struct rd_omp_task *t = *at;
    *at = t->next_ready;
    return t;
}

/* ---- execution ---- */

/* The task has ended: releases the objects for its end, and takes it out of all counters. */
static void finish(struct rd_omp *o, struct rd_omp_task *t, bool deferred, uint64_t pc) {
    struct rd_omp_team *team = o->me.team;
    if (t->has_depends)
        rd_omp_op(RD_OP_RELEASE, &t->over, pc);
    if (deferred) {
        rd_omp_op(RD_OP_RELEASE, &t->parent->child_over, pc);
        rd_omp_op(RD_OP_RELEASE, &team->over[team->round & 1], pc);
    }
    if (deferred && t->in)
        rd_omp_op(RD_OP_RELEASE, &t->in->over, pc);
    if (deferred || t->has_depends)
        rd_omp_op(RD_OP_TEAM, &team->sched, pc);
    RD_ASSERT(!t->is_over && t->waits == 0);
    t->is_over = true;
    for (const struct rd_omp_edge *e = t->successors; e; e = e->next) {
        RD_ASSERT(e->task->waits > 0); /* after() has counted this task */
        if (--e->task->waits == 0 && e->task->call)
            make_ready(team, e->task);
    }
    if (!deferred)
        return;
    RD_ASSERT(t->parent->children > 0 && team->unfinished > 0 && (!t->in || t->in->count > 0));
    t->parent->children--;
    team->unfinished--;
    if (t->in)
        t->in->count--;
}

static void run(struct rd_omp *o, struct rd_omp_task *t, bool deferred, uint64_t pc) {
    struct rd_omp_task *before = o->me.task;
    uint64_t number = o->me.number;
    if (deferred)
        rd_omp_op(RD_OP_ACQUIRE, &t->created, pc);
    for (const struct rd_omp_edge *e = t->before; e; e = e->next)
        rd_omp_op(RD_OP_ACQUIRE, &e->task->over, pc);
    o->me.task = t;
    o->me.number = ++o->numbers;
    t->call(t);
    o->me.task = before;
    o->me.number = number;
    finish(o, t, deferred, pc);
}

/* Executes tasks until the wait is over. */
static void run_until(struct rd_omp *o, struct rd_omp_wait_for w, uint64_t pc) {
    for (;;) {
        o->tasks = w;
        const void *also = w.barrier || w.end ? &o->me.team->over[w.round & 1] : NULL;
        uint64_t which = rd_omp_wait(o, RD_OMP_TASK, &o->me.team->sched, also, pc);
        if (wait_is_over(o))
            return;
        run(o, take(o, which), true, pc);
    }
}

void rd_omp_task_defer(struct rd_omp *o, struct rd_omp_task *t, const struct rd_omp_depend *d, uint32_t count,
                       uint64_t pc) {
    struct rd_omp_team *team = o->me.team;
    if (!rd_omp_tasks_used())
        rd_omp_refuse("tasks in a library that was loaded within a parallel region");
    t->has_depends = count > 0;
    t->parent->had_children = true;
    rd_omp_op(RD_OP_RELEASE, &t->created, pc);
    rd_omp_op(RD_OP_TEAM, &team->sched, pc);
    t->parent->children++;
    team->unfinished++;
    if (t->in)
        t->in->count++;
    for (uint32_t i = 0; i < count; i++)
        depend(t, &d[i]);
    if (t->waits == 0)
        make_ready(team, t);
}

void rd_omp_task_do(struct rd_omp *o, struct rd_omp_task *t, const struct rd_omp_depend *d, uint32_t count,
                    uint64_t pc) {
    void (*call)(struct rd_omp_task *) = t->call;
    t->has_depends = count > 0;
    if (count) {
        rd_omp_op(RD_OP_TEAM, &o->me.team->sched, pc);
        t->call = NULL; /* finish() does not put it into the list */
        for (uint32_t i = 0; i < count; i++)
            depend(t, &d[i]);
        if (t->waits)
            run_until(o, (struct rd_omp_wait_for){.of = o->me.task, .zero = &t->waits}, pc);
        t->call = call;
    }
    run(o, t, false, pc);
    rd_omp_drop(o, t);
}

void rd_omp_task_start(struct rd_omp *o, struct rd_omp_task *t, bool at_once, const struct rd_omp_depend *d,
                       uint32_t count, uint64_t pc) {
    if (o->me.team->size == 1)
        rd_omp_task_do(o, t, NULL, 0, pc);
    else if (at_once || t->final || t->parent->final)
        rd_omp_task_do(o, t, d, count, pc);
    else
        rd_omp_task_defer(o, t, d, count, pc);
}

static void no_code(struct rd_omp_task *t) { (void)t; }

void rd_omp_task_await_depends(struct rd_omp *o, const struct rd_omp_depend *d, uint32_t count, uint64_t pc) {
    struct rd_omp_task *t = rd_omp_task_new(o, 0, 1, pc);
    t->call = no_code;
    rd_omp_task_do(o, t, d, count, pc);
}

void rd_omp_task_await(struct rd_omp *o, uint64_t pc) {
    const struct rd_omp_task *t = o->me.task;
    if (!t || !t->had_children)
        return;
    run_until(o, (struct rd_omp_wait_for){.of = t, .zero = &t->children}, pc);
    RD_ASSERT(t->children == 0);
    rd_omp_op(RD_OP_ACQUIRE, &t->child_over, pc);
}

void rd_omp_task_yield(struct rd_omp *o, uint64_t pc) {
    if (o->me.team->size == 1)
        return;
    o->tasks = (struct rd_omp_wait_for){.of = rd_omp_task_now(o, pc)};
    uint64_t which = rd_omp_wait(o, RD_OMP_MAY_TASK, &o->me.team->sched, NULL, pc);
    if (which)
        run(o, take(o, which - 1), true, pc);
}

/* ---- groups ---- */

void rd_omp_group_begin(struct rd_omp *o, uint64_t pc) {
    struct rd_omp_task *t = rd_omp_task_now(o, pc);
    struct rd_omp_group *g = rd_omp_block(o, sizeof *g, pc);
    g->outer = t->group;
    t->group = g;
}

void rd_omp_group_end(struct rd_omp *o, uint64_t pc) {
    struct rd_omp_task *t = o->me.task;
    struct rd_omp_group *g = t->group;
    if (o->me.team->size > 1) {
        run_until(o, (struct rd_omp_wait_for){.of = t, .zero = &g->count}, pc);
        RD_ASSERT(g->count == 0);
        rd_omp_op(RD_OP_ACQUIRE, &g->over, pc);
    }
    t->group = g->outer;
    rd_omp_drop(o, g);
}

/* ---- barriers, and the end of a region ---- */

/*
 * Arrivals are counted in steps on `over`, which do not depend on each other. The first thread that sees that the
 * round is over increments `round`.
 */
void rd_omp_task_barrier(struct rd_omp *o, uint64_t pc) {
    struct rd_omp_team *team = o->me.team;
    const uint32_t round = team->round, *over = &team->over[round & 1];
    rd_omp_op(RD_OP_RELEASE, over, pc);
    RD_ASSERT(team->arrived < team->size);
    team->arrived++;
    run_until(o, (struct rd_omp_wait_for){.barrier = true, .round = round}, pc);
    if (team->round == round) {
        team->arrived = 0;
        team->round++;
    }
    rd_omp_op(RD_OP_ACQUIRE, over, pc);
}

void rd_omp_task_park(struct rd_omp *o, uint64_t pc) {
    struct rd_omp_team *team = o->me.team;
    rd_omp_op(RD_OP_RELEASE, &team->over[team->round & 1], pc);
    team->done++;
    o->go = false;
    for (;;) {
        o->tasks = (struct rd_omp_wait_for){0};
        uint64_t which = rd_omp_wait(o, RD_OMP_GO, o->name, &team->sched, pc);
        if (o->go)
            return;
        run(o, take(o, which), true, pc);
    }
}

void rd_omp_task_join(struct rd_omp *o, uint64_t pc) {
    const struct rd_omp_team *team = o->me.team;
    run_until(o, (struct rd_omp_wait_for){.end = true, .round = team->round}, pc);
    RD_ASSERT(team->unfinished == 0 && !team->ready); /* a task that is ready is unfinished */
    rd_omp_op(RD_OP_ACQUIRE, &team->over[team->round & 1], pc);
}
