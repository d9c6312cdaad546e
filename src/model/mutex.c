/*
 * mutex.c - normal, recursive and error-checking mutexes. op->arg is the type (enum rd_mutex_type), which the
 * interposer reads from the program's own mutex. A normal mutex that its owner locks again blocks for ever; a
 * trylock by the owner is EBUSY for all but recursive ones; what POSIX leaves undefined is done as glibc does it.
 */
#include "model/model.h"

#include <errno.h>

static const struct rd_mutex *peek(const struct rd_world *w, uint64_t addr) {
    const struct rd_object *o = rd_world_find(w, addr, RD_OBJ_MUTEX);
    return o && o->mutex.owner != RD_TID_NONE ? &o->mutex : NULL;
}

RD_MODEL_ENABLED(rd_mutex_lock_enabled) {
    const struct rd_mutex *m = peek(w, op->addr);
    return !m || (m->owner == tid && op->arg != RD_MUTEX_NORMAL);
}

static void take(struct rd_world *w, rd_tid tid, const struct rd_op *op, struct rd_mutex *m) {
    m->owner = tid;
    m->depth = 1;
    m->taken_at = w->step;
    m->taken_pc = op->pc;
}

RD_MODEL_PERFORM(rd_mutex_lock) {
    (void)way;
    struct rd_mutex *m = &rd_world_object(w, op->addr, RD_OBJ_MUTEX)->mutex;
    if (m->owner == RD_TID_NONE)
        take(w, tid, op, m);
    else if (op->arg == RD_MUTEX_RECURSIVE)
        m->depth++;
    else
        r->error = EDEADLK;
}

RD_MODEL_PERFORM(rd_mutex_trylock) {
    (void)way;
    struct rd_mutex *m = &rd_world_object(w, op->addr, RD_OBJ_MUTEX)->mutex;
    if (m->owner == RD_TID_NONE)
        take(w, tid, op, m);
    else if (m->owner == tid && op->arg == RD_MUTEX_RECURSIVE)
        m->depth++;
    else
        r->error = EBUSY;
}

RD_MODEL_PERFORM(rd_mutex_unlock) {
    (void)way;
    struct rd_mutex *m = &rd_world_object(w, op->addr, RD_OBJ_MUTEX)->mutex;
    if (m->owner != tid && op->arg != RD_MUTEX_NORMAL)
        r->error = EPERM;
    else if (m->owner != RD_TID_NONE && --m->depth == 0)
        m->owner = RD_TID_NONE;
}

RD_MODEL_HOLDER(rd_mutex_holder) {
    (void)tid;
    return peek(w, op->addr);
}
