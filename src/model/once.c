/*
 * once.c - pthread_once and C11's call_once. `begin` tells the caller whether it is to run the routine (value 1);
 * while a thread runs the routine, `begin` is blocked in all others, until `end`. op->arg of `begin` is 1 if the
 * program's own control variable says that the routine has run already. op->arg of `end` is 0 if an exception or a
 * cancellation left the routine: then it counts as not run.
 */
#include "model/primitives.h"

RD_MODEL_ENABLED(rd_once_begin_enabled) {
    (void)tid;
    const struct rd_object *o = rd_world_find(w, op->addr, RD_OBJ_ONCE);
    return !o || o->once.state != RD_ONCE_RUNNING;
}

RD_MODEL_PERFORM(rd_once_begin) {
    (void)way;
    struct rd_once *o = &rd_world_object(w, op->addr, RD_OBJ_ONCE)->once;
    if (op->arg)
        o->state = RD_ONCE_DONE;
    if (o->state == RD_ONCE_DONE)
        return;
    RD_CHECK(o->state == RD_ONCE_NEVER && o->runner.owner == RD_TID_NONE);
    o->state = RD_ONCE_RUNNING;
    o->runner = (struct rd_mutex){.owner = tid, .taken_at = w->step, .taken_pc = op->pc};
    r->value = 1;
}

RD_MODEL_PERFORM(rd_once_end) {
    (void)tid;
    (void)way;
    (void)r;
    struct rd_once *o = &rd_world_object(w, op->addr, RD_OBJ_ONCE)->once;
    o->state = op->arg ? RD_ONCE_DONE : RD_ONCE_NEVER;
    o->late = w->count > 1;
    o->runner.owner = RD_TID_NONE;
}

RD_MODEL_HOLDER(rd_once_holder) {
    (void)tid;
    const struct rd_object *o = rd_world_find(w, op->addr, RD_OBJ_ONCE);
    RD_ASSERT(!o || o->once.state == RD_ONCE_DONE ||
              (o->once.state == RD_ONCE_RUNNING) == (o->once.runner.owner != RD_TID_NONE));
    return o && o->once.runner.owner != RD_TID_NONE ? &o->once.runner : NULL;
}
