/*
 * barrier.c - barriers. A wait is two operations. `arrive` counts, and the last arrival of a generation releases
 * the others: it is the "serial" thread (value 1), and does not wait. The others `leave`, which is enabled once the
 * generation in which they arrived is over.
 *
 * op->arg of `arrive` is the number of threads of a generation. No two generations at one address have the same
 * number: a barrier may be destroyed, and its memory may become another barrier, while threads have yet to leave
 * the first one.
 *
 * op->arg of `leave` is the number of the generation once that is over: the thread then goes on through the gate of
 * the generation (event.h). Before, it is 0, and `leave` touches the barrier itself: a signal or a cancellation can
 * end the wait while the arrival that would release the thread is still to come.
 */
#include "model/primitives.h"

/* The generation is over: tells the threads that have arrived in it by which gate they go on. */
static void release(struct rd_world *w, uint64_t barrier, uint32_t generation) {
    for (uint32_t i = 0; i < w->count; i++) {
        struct rd_thread *t = &w->threads[i];
        if (t->state != RD_T_READY || t->barrier != barrier || t->barrier_generation != generation)
            continue;
        t->barrier_over = true;
        if (t->pending.kind == RD_OP_BARRIER_LEAVE) /* another kind: it runs a signal handler within the wait */
            t->pending.arg = generation;
    }
}

RD_MODEL_PERFORM(rd_barrier_arrive) {
    (void)way;
    if (op->arg == 0) {
        r->misuse = "wait on a barrier that was not initialised";
        return;
    }
    struct rd_object *o = rd_world_object(w, op->addr, RD_OBJ_BARRIER);
    struct rd_barrier *b = &o->barrier;
    RD_CHECK((b->arrived == 0) == (b->generation == 0) && b->generation <= o->gates);
    if (b->arrived == 0)
        b->generation = ++o->gates;
    struct rd_thread *t = &w->threads[tid];
    t->barrier = op->addr;
    t->barrier_generation = b->generation;
    t->barrier_over = false;
    if (++b->arrived < op->arg)
        return;
    r->gate = b->generation;
    r->value = 1;
    release(w, op->addr, b->generation);
    b->arrived = b->generation = 0;
}

RD_MODEL_ENABLED(rd_barrier_leave_enabled) {
    const struct rd_object *o = rd_world_find(w, op->addr, RD_OBJ_BARRIER);
    RD_ASSERT(w->threads[tid].barrier_generation != 0); /* it has arrived before */
    return !o || o->barrier.generation != w->threads[tid].barrier_generation;
}
