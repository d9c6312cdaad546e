/*
 * thread.c - creation, join, detach, cancellation. A thread's number stands for its position in the tree of
 * creations (which child of which parent), so it names the same thread in every schedule; the table of numbers
 * outlives the execution. The end of a thread is not an operation: only a join depends on it.
 *
 * States: UNUSED, then READY from its creation on, then FINISHED. A join needs a FINISHED thread that was neither
 * joined nor detached before.
 */
#include "model/primitives.h"

#include <errno.h>

/*
 * Processes that exchange schedules must number threads alike. The first process that meets a position in the tree
 * writes it into the first free entry of a table that all of them share; the table of each process is a copy of the
 * beginning of the shared one.
 */
static rd_tid common_number(struct rd_world *w, rd_tid parent, uint16_t ordinal) {
    uint64_t wanted = (uint64_t)parent << 16 | ordinal; /* never 0: the first child has number 1 */
    for (uint32_t i = 1; i < RD_TID_MAX; i++) {
        uint64_t entry = 0;
        if (__atomic_compare_exchange_n(&w->common_paths[i], &entry, wanted, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            entry = wanted;
        RD_CHECK(entry >> 16 < i); /* a parent has a smaller number than its children */
        w->paths[i] = (struct rd_thread_path){(rd_tid)(entry >> 16), (uint16_t)entry};
        *w->path_count = RD_MAX(*w->path_count, i + 1);
        if (entry == wanted)
            return (rd_tid)i;
    }
    return RD_TID_NONE;
}

rd_tid rd_thread_number(struct rd_world *w, rd_tid parent) {
    uint16_t ordinal = (uint16_t)(w->threads[parent].children + 1);
    RD_CHECK(*w->path_count >= 1 && *w->path_count <= RD_TID_MAX);
    for (uint32_t i = 1; i < *w->path_count; i++)
        if (w->paths[i].parent == parent && w->paths[i].ordinal == ordinal)
            return (rd_tid)i;
    if (w->common_paths)
        return common_number(w, parent, ordinal);
    if (*w->path_count == RD_TID_MAX)
        return RD_TID_NONE;
    w->paths[*w->path_count] = (struct rd_thread_path){parent, ordinal};
    return (rd_tid)(*w->path_count)++;
}

/* op->arg: 1 if the thread is created detached */
RD_MODEL_PERFORM(rd_thread_create) {
    (void)way;
    rd_tid child = rd_thread_number(w, tid);
    if (child == RD_TID_NONE) {
        r->error = EAGAIN;
        return;
    }
    rd_world_reach(w, (uint32_t)child + 1);
    struct rd_thread *c = &w->threads[child];
    RD_CHECK(c->state == RD_T_UNUSED && w->threads[tid].state == RD_T_READY);
    c->state = RD_T_READY;
    c->parent = tid;
    c->ordinal = ++w->threads[tid].children;
    RD_CHECK(w->paths[child].parent == tid && w->paths[child].ordinal == c->ordinal);
    c->detached = op->arg & 1;
    c->reaped_tid = tid;
    c->reaped_pc = op->pc;
    c->signals_off = w->threads[tid].signals_off;
    rd_world_regroup(w, child);
    w->alive++;
    w->unjoined++;
    w->alive_max = RD_MAX(w->alive_max, w->alive);
    r->value = child;
}

/* Returns the error of a join of thread op->arg, or 0: then it waits until that thread has finished. */
static int join_error(const struct rd_world *w, rd_tid tid, const struct rd_op *op) {
    if (op->arg >= w->count || w->threads[op->arg].state == RD_T_UNUSED)
        return ESRCH;
    const struct rd_thread *target = &w->threads[op->arg];
    bool each_other = target->pending.kind == RD_OP_JOIN && target->pending.arg == tid;
    if (op->arg == tid || (target->state == RD_T_READY && each_other))
        return EDEADLK;
    return target->detached || target->joined ? EINVAL : 0;
}

RD_MODEL_ENABLED(rd_thread_join_enabled) {
    return join_error(w, tid, op) != 0 || w->threads[op->arg].state == RD_T_FINISHED;
}

static void report_reaped(const struct rd_thread *t, struct rd_result *r, const char *joined,
                          const char *detached) {
    r->misuse = t->joined ? joined : detached;
    r->misuse_tid = t->reaped_tid;
    r->misuse_pc = t->reaped_pc;
}

static void set_reaped(struct rd_thread *t, rd_tid tid, const struct rd_op *op) {
    t->reaped_tid = tid;
    t->reaped_pc = op->pc;
}

RD_MODEL_PERFORM(rd_thread_join) {
    (void)way;
    r->error = join_error(w, tid, op);
    if (r->error) {
        if (r->error == EINVAL)
            report_reaped(&w->threads[op->arg], r, "join of a thread that was joined before",
                          "join of a detached thread");
        else if (r->error == EDEADLK)
            r->misuse = op->arg == tid ? "a thread joins itself" : "two threads join each other";
        return;
    }
    RD_CHECK(w->threads[op->arg].state == RD_T_FINISHED && w->unjoined > 0);
    w->threads[op->arg].joined = true;
    set_reaped(&w->threads[op->arg], tid, op);
    w->unjoined--;
    r->value = op->arg;
}

RD_MODEL_PERFORM(rd_thread_tryjoin) {
    int error = join_error(w, tid, op);
    if (error == 0 && w->threads[op->arg].state != RD_T_FINISHED)
        r->error = EBUSY;
    else
        rd_thread_join(w, tid, op, way, r);
}

RD_MODEL_PERFORM(rd_thread_detach) {
    (void)tid;
    (void)way;
    if (op->arg >= w->count || w->threads[op->arg].state == RD_T_UNUSED)
        r->error = ESRCH;
    else if (w->threads[op->arg].detached || w->threads[op->arg].joined) {
        r->error = EINVAL;
        report_reaped(&w->threads[op->arg], r, "detach of a thread that was joined", "detach of a detached thread");
    } else {
        w->threads[op->arg].detached = true;
        set_reaped(&w->threads[op->arg], tid, op);
    }
}

const struct rd_object *rd_thread_holds(const struct rd_world *w, rd_tid tid, uint32_t *from) {
    while (*from < w->objects.room) {
        const struct rd_object *o = (const struct rd_object *)(uintptr_t)w->objects.slots[(*from)++].value;
        if (o && o->kind == RD_OBJ_MUTEX && o->mutex.owner == tid && !o->mutex.robust) {
            RD_CHECK(o->mutex.depth > 0);
            return o;
        }
    }
    return NULL;
}

void rd_thread_finish(struct rd_world *w, rd_tid tid) {
    RD_CHECK(w->threads[tid].state == RD_T_READY && w->alive > 0);
    w->threads[tid].state = RD_T_FINISHED;
    w->threads[tid].pending.kind = RD_OP_NONE;
    rd_world_regroup(w, tid);
    w->alive--;
}

/* op->arg: the thread to cancel. The cancellation takes effect at its next cancellation point. */
RD_MODEL_PERFORM(rd_thread_cancel) {
    (void)tid;
    (void)way;
    if (op->arg >= w->count || w->threads[op->arg].state == RD_T_UNUSED)
        r->error = ESRCH;
    else
        w->threads[op->arg].cancel_asked = true;
}
