/*
 * barrier.c - barriers. A wait is two operations. `arrive` counts, and the last arrival of a generation releases
 * the others: it is the "serial" thread (value 1), and does not wait. The others `leave`, which is enabled once the
 * generation in which they arrived is over.
 *
 * op->arg of `arrive` is the number of threads of a generation, op->arg of `leave` the number of the generation. No
 * two generations at one address have the same number: a barrier may be destroyed, and its memory may become
 * another barrier, while threads have yet to leave the first one.
 */
#include "model/primitives.h"

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
    w->threads[tid].barrier_generation = b->generation;
    if (++b->arrived < op->arg)
        return;
    r->gate = b->generation;
    r->value = 1;
    b->arrived = b->generation = 0;
}

RD_MODEL_ENABLED(rd_barrier_leave_enabled) {
    const struct rd_object *o = rd_world_find(w, op->addr, RD_OBJ_BARRIER);
    RD_ASSERT(w->threads[tid].barrier_generation != 0); /* it has arrived before */
    return !o || o->barrier.generation != w->threads[tid].barrier_generation;
}
