/*
 * barrier.c - barriers. A wait is two operations: `arrive` counts, and the last one of a round opens it (it is the
 * "serial" thread: value 1); the others `leave` once the round they came in is over. op->arg of `arrive` is the
 * number of threads in a round. No two rounds at one address have the same number: a barrier may be destroyed and
 * its memory be a barrier again while some of its threads have yet to leave. That of `leave` is the round.
 */
#include "model/model.h"

RD_MODEL_PERFORM(rd_barrier_arrive) {
    (void)way;
    if (op->arg == 0) {
        r->misuse = "wait on a barrier that was not initialised";
        return;
    }
    struct rd_object *o = rd_world_object(w, op->addr, RD_OBJ_BARRIER);
    struct rd_barrier *b = &o->barrier;
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
    return !o || o->barrier.generation != w->threads[tid].barrier_generation;
}
