/*
 * sem.c - semaphores. op->arg is the value of the program's own semaphore, which counts when Raddle sees the
 * semaphore for the first time; from then on the model counts. The value of a result is the count before the
 * operation.
 */
#include "model/primitives.h"

#include <errno.h>
#include <limits.h>

static struct rd_sem *sem_at(struct rd_world *w, const struct rd_op *op) {
    bool known = rd_world_find(w, op->addr, RD_OBJ_SEM) != NULL;
    struct rd_sem *s = &rd_world_object(w, op->addr, RD_OBJ_SEM)->sem;
    if (!known)
        s->value = (int64_t)op->arg;
    return s;
}

/* A wait on a destroyed semaphore is enabled, so that its step reports the misuse. */
RD_MODEL_ENABLED(rd_sem_wait_enabled) {
    (void)tid;
    const struct rd_object *o = rd_world_find(w, op->addr, RD_OBJ_SEM);
    if (!o && w->any_destroyed && rd_world_is_destroyed(w, op->addr, RD_OBJ_SEM))
        return true;
    return (o ? o->sem.value : (int64_t)op->arg) > 0;
}

RD_MODEL_PERFORM(rd_sem_wait) {
    (void)tid;
    (void)way;
    struct rd_sem *s = sem_at(w, op);
    RD_CHECK(s->value > 0);
    r->value = (uint64_t)s->value--;
}

RD_MODEL_PERFORM(rd_sem_trywait) {
    (void)tid;
    (void)way;
    struct rd_sem *s = sem_at(w, op);
    r->value = (uint64_t)s->value;
    if (s->value > 0)
        s->value--;
    else
        r->error = EAGAIN;
}

RD_MODEL_PERFORM(rd_sem_post) {
    (void)way;
    struct rd_sem *s = sem_at(w, op);
    r->value = (uint64_t)s->value;
    if (s->value >= INT_MAX) {
        r->error = EOVERFLOW;
        r->misuse = "post of a semaphore that is at its maximum";
        r->misuse_tid = s->post_tid;
        r->misuse_pc = s->post_pc;
        return;
    }
    s->value++;
    s->post_tid = tid;
    s->post_pc = op->pc;
}

RD_MODEL_PERFORM(rd_sem_value) {
    (void)tid;
    (void)way;
    r->value = (uint64_t)sem_at(w, op)->value;
}
