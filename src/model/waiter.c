/*
 * waiter.c - the places of threads in the queues of conditions and futexes. A thread's place is a part of the
 * thread (rd_thread.waiter). A signal handler that runs within a condition wait may wait, too, on another
 * condition: then the place of the interrupted wait moves to memory of its own, in the same queue, until the
 * handler's wait has ended. A futex wait has no place in its queue while a handler runs (futex.c).
 *
 * Invariant: a place is in the queue of the object at `queue`, unless that object was destroyed or forgotten.
 */
#include "model/primitives.h"

/* Returns the link in the queue that points to the place; NULL: its object does not exist any more. */
static struct rd_waiter **find_link(struct rd_world *w, const struct rd_waiter *place) {
    const uint64_t *slot = place->queue ? rd_map_get(&w->objects, place->queue) : NULL;
    struct rd_object *o = slot ? (struct rd_object *)(uintptr_t)*slot : NULL;
    bool cond = o && o->kind == RD_OBJ_COND;
    if (!o || (!cond && o->kind != RD_OBJ_FUTEX))
        return NULL;
    struct rd_waiter **p = cond ? &o->cond.first : &o->futex.first;
    while (*p && *p != place)
        p = &(*p)->next;
    return *p ? p : NULL;
}

/* Moves the place to other memory, in its queue. */
static void move(struct rd_world *w, struct rd_waiter *to, struct rd_waiter *from) {
    struct rd_waiter **link = find_link(w, from);
    *to = *from;
    if (link)
        *link = to;
}

struct rd_waiter *rd_waiter_begin(struct rd_world *w, rd_tid tid) {
    struct rd_waiter *me = &w->threads[tid].waiter, *outer = NULL;
    if (me->queue) {
        outer = rd_arena_alloc(w->arena, sizeof *outer);
        move(w, outer, me);
    }
    *me = (struct rd_waiter){.tid = tid, .outer = outer};
    return me;
}

void rd_waiter_end(struct rd_world *w, rd_tid tid) {
    struct rd_waiter *me = &w->threads[tid].waiter;
    struct rd_waiter **link = find_link(w, me);
    if (link)
        *link = me->next;
    me->queue = 0;
    RD_CHECK(me->tid == tid);
    if (me->outer)
        move(w, me, me->outer);
}
