/*
 * barrier.c - barriers. A wait is two operations: `arrive` counts, and the last one of a round opens it (it is the
 * "serial" thread: value 1); the others `leave` once the round they came in is over. op->arg of `arrive` is the
 * number of threads in a round. No two rounds have the same number, whatever the barrier: one may be destroyed and
 * its memory be a barrier again while some of its threads have yet to leave.
 */
#include "model/model.h"

RD_MODEL_PERFORM(rd_barrier_arrive) {
    (void)way;
    if (op->arg == 0) {
        r->misuse = "wait on a barrier that was not initialised";
        return;
    }
    struct rd_barrier *b = &rd_world_object(w, op->addr, RD_OBJ_BARRIER)->barrier;
    if (b->arrived == 0)
        b->round = ++w->barrier_rounds;
    w->threads[tid].barrier_round = b->round;
    if (++b->arrived < op->arg)
        return;
    b->arrived = b->round = 0;
    r->value = 1;
}

RD_MODEL_ENABLED(rd_barrier_leave_enabled) {
    const struct rd_object *o = rd_world_find(w, op->addr, RD_OBJ_BARRIER);
    return !o || o->barrier.round != w->threads[tid].barrier_round;
}
