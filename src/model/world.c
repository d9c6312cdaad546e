/* world.c - the world's threads and objects. */
#include "model/model.h"

#include <string.h>

void rd_world_init(struct rd_world *w, struct rd_arena *a, struct rd_thread_path *paths, uint32_t *path_count) {
    memset(w, 0, sizeof *w);
    w->arena = a;
    w->threads = rd_arena_zero(a, RD_TID_MAX * sizeof *w->threads);
    w->paths = paths;
    w->path_count = path_count;
    if (*path_count == 0) {
        paths[0] = (struct rd_thread_path){RD_TID_NONE, 0};
        *path_count = 1;
    }
    w->threads[0].state = RD_T_READY;
    w->threads[0].parent = RD_TID_NONE;
    w->count = w->alive = w->alive_max = 1;
}

const struct rd_object *rd_world_find(const struct rd_world *w, uint64_t addr, enum rd_object_kind kind) {
    const uint64_t *slot = rd_map_get(&w->objects, addr);
    const struct rd_object *o = slot ? (const struct rd_object *)(uintptr_t)*slot : NULL;
    return o && o->kind == kind ? o : NULL;
}

struct rd_object *rd_world_object(struct rd_world *w, uint64_t addr, enum rd_object_kind kind) {
    uint64_t *slot = rd_map_put(&w->objects, w->arena, addr);
    struct rd_object *o = (struct rd_object *)(uintptr_t)*slot;
    if (!o) {
        o = rd_arena_zero(w->arena, sizeof *o);
        *slot = (uintptr_t)o;
    }
    if (o->kind != kind) { /* new, forgotten, or the memory now holds something else */
        memset(o, 0, sizeof *o);
        o->addr = addr;
        o->kind = (uint8_t)kind;
        if (kind == RD_OBJ_MUTEX)
            o->mutex.owner = RD_TID_NONE;
        else if (kind == RD_OBJ_RWLOCK)
            o->rwlock.writer.owner = o->rwlock.reader.owner = RD_TID_NONE;
        else if (kind == RD_OBJ_ONCE)
            o->once.runner.owner = RD_TID_NONE;
    }
    return o;
}

void rd_world_forget(struct rd_world *w, uint64_t addr) {
    uint64_t *slot = rd_map_get(&w->objects, addr);
    if (slot && *slot)
        ((struct rd_object *)(uintptr_t)*slot)->kind = RD_OBJ_NONE;
}

static const struct rd_mutex *held(const struct rd_object *o) {
    if (o->kind == RD_OBJ_MUTEX && o->mutex.owner != RD_TID_NONE)
        return &o->mutex;
    if (o->kind != RD_OBJ_RWLOCK)
        return NULL;
    if (o->rwlock.writer.owner != RD_TID_NONE)
        return &o->rwlock.writer;
    return o->rwlock.reader.owner != RD_TID_NONE ? &o->rwlock.reader : NULL;
}

/* A barrier that somebody has not left yet cannot be told from one that all have left: only arrivals count. */
static bool waited_on(const struct rd_object *o) {
    if (o->kind == RD_OBJ_COND)
        for (const struct rd_waiter *p = o->cond.first; p; p = p->next)
            if (!p->signalled)
                return true;
    return o->kind == RD_OBJ_BARRIER && o->barrier.arrived;
}

/* A thread that waits for this object now and would use it after it is gone. */
static rd_tid blocked_on(const struct rd_world *w, rd_tid self, uint64_t addr) {
    for (uint32_t t = 0; t < w->count; t++) {
        const struct rd_op *op = &w->threads[t].pending;
        if (t != self && w->threads[t].state == RD_T_READY && op->addr == addr && !rd_model_ready(w, (rd_tid)t))
            return (rd_tid)t;
    }
    return RD_TID_NONE;
}

/* Initialised or destroyed: whatever was known of this address is over. */
RD_MODEL_PERFORM(rd_object_reset) {
    (void)tid;
    (void)way;
    const uint64_t *slot = rd_map_get(&w->objects, op->addr);
    const struct rd_object *o = slot ? (const struct rd_object *)(uintptr_t)*slot : NULL;
    bool init = op->kind == RD_OP_MUTEX_INIT || op->kind == RD_OP_COND_INIT || op->kind == RD_OP_OBJECT_INIT;
    const struct rd_mutex *m = o ? held(o) : NULL;
    if (m && w->threads[m->owner].state == RD_T_READY) {
        r->misuse = init ? "initialisation of a lock that is held" : "destruction of a lock that is held";
        r->misuse_tid = m->owner;
        r->misuse_pc = m->taken_pc;
    } else if (!init && blocked_on(w, tid, op->addr) != RD_TID_NONE) {
        r->misuse = "destruction of an object that a thread waits on";
        r->misuse_tid = blocked_on(w, tid, op->addr);
        r->misuse_pc = w->threads[r->misuse_tid].pending.pc;
    } else if (o && waited_on(o)) {
        r->misuse = init ? "initialisation of an object that a thread waits on"
                         : "destruction of an object that a thread waits on";
        r->misuse_tid = o->kind == RD_OBJ_COND ? o->cond.first->tid : RD_TID_NONE;
        r->misuse_pc = o->kind == RD_OBJ_COND ? w->threads[o->cond.first->tid].pending.pc : 0;
    }
    rd_world_forget(w, op->addr);
}
