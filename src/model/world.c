/*
 * world.c - the threads and objects of the world; initialisation, destruction and loss of objects.
 *
 * An object is found by its address and is never freed, so a pointer to it stays valid for the whole execution.
 * When it is forgotten its kind becomes NONE; when the address is used with another kind it becomes a new object.
 */
#include "model/primitives.h"

#include <errno.h>
#include <string.h>

enum { PAGE = 4096 };
static_assert(offsetof(struct rd_thread, parent) < 2 * RD_CACHE_LINE, "every step reads the fields before it");

void rd_world_init(struct rd_world *w, struct rd_arena *a, struct rd_thread_path *paths, uint32_t *path_count) {
    memset(w, 0, sizeof *w);
    w->arena = a;
    rd_map_reserve(&w->objects, a, 1);
    w->objects_from = UINT64_MAX;
    /* the allocation behind the table begins in a page of its own */
    size_t size = RD_TID_MAX * sizeof *w->threads + RD_CACHE_LINE - 1;
    uintptr_t at = (uintptr_t)rd_arena_alloc(a, size + (0 - (a->used + size)) % PAGE);
    w->threads = (struct rd_thread *)((at + RD_CACHE_LINE - 1) & ~(uintptr_t)(RD_CACHE_LINE - 1));
    w->paths = paths;
    w->path_count = path_count;
    RD_CHECK(*path_count <= RD_TID_MAX);
    if (*path_count == 0) {
        paths[0] = (struct rd_thread_path){RD_TID_NONE, 0};
        *path_count = 1;
    }
    rd_world_reach(w, 1);
    w->threads[0].state = RD_T_READY;
    w->threads[0].parent = RD_TID_NONE;
    rd_world_regroup(w, 0);
    w->alive = w->alive_max = 1;
}

void rd_world_reach(struct rd_world *w, uint32_t count) {
    RD_CHECK(count <= RD_TID_MAX);
    if (count <= w->count)
        return;
    memset(&w->threads[w->count], 0, (count - w->count) * sizeof *w->threads);
    w->count = count;
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
        w->objects_from = RD_MIN(w->objects_from, addr);
        w->objects_to = RD_MAX(w->objects_to, addr);
    }
    if (o->kind != kind) { /* new, forgotten, or the memory now holds something else */
        uint32_t gates = o->gates;
        memset(o, 0, sizeof *o);
        o->gates = gates; /* threads may have yet to leave the object that was here before */
        o->addr = addr;
        o->kind = (uint8_t)kind;
        if (kind == RD_OBJ_MUTEX)
            o->mutex.owner = RD_TID_NONE;
        else if (kind == RD_OBJ_RWLOCK)
            o->rwlock.writer.owner = o->rwlock.reader.owner = o->rwlock.queued.owner = RD_TID_NONE;
        else if (kind == RD_OBJ_ONCE)
            o->once.runner.owner = RD_TID_NONE;
    }
    RD_ASSERT(kind == RD_OBJ_NONE || (addr >= w->objects_from && addr <= w->objects_to));
    RD_ASSERT(kind == RD_OBJ_NONE || rd_world_find(w, addr, kind) == o);
    return o;
}

void rd_world_forget(struct rd_world *w, uint64_t addr) {
    uint64_t *slot = rd_map_get(&w->objects, addr);
    if (!slot || !*slot)
        return;
    struct rd_object *o = (struct rd_object *)(uintptr_t)*slot;
    o->kind = o->destroyed_kind = RD_OBJ_NONE;
}

/* Returns the lock that a thread holds by this object, or NULL. */
static const struct rd_mutex *held_lock(const struct rd_object *o) {
    if (o->kind == RD_OBJ_MUTEX && o->mutex.owner != RD_TID_NONE)
        return &o->mutex;
    if (o->kind != RD_OBJ_RWLOCK)
        return NULL;
    if (o->rwlock.writer.owner != RD_TID_NONE)
        return &o->rwlock.writer;
    return o->rwlock.reader.owner != RD_TID_NONE ? &o->rwlock.reader : NULL;
}

static bool is_waited_for(const struct rd_world *w, uint64_t addr) {
    for (uint32_t t = 0; t < w->count; t++) {
        const struct rd_thread *x = &w->threads[t];
        if (x->state == RD_T_READY && rd_op_flags(x->pending.kind) & RD_F_BLOCKS && x->pending.addr == addr)
            return true;
    }
    return false;
}

static void forget_lock(struct rd_world *w, uint64_t addr, const struct rd_object *o) {
    if (o && held_lock(o) && !is_waited_for(w, addr))
        rd_world_forget(w, addr);
}

void rd_world_vanish(struct rd_world *w, uint64_t first, uint64_t size) {
    enum { ALIGNED = 4 }; /* a spin lock has this alignment, any other lock a larger one */
    uint64_t from = (first + ALIGNED - 1) / ALIGNED * ALIGNED;
    if (w->objects_from >= first + size || w->objects_to < first)
        return;
    if (size / ALIGNED > w->objects.room) {
        for (uint32_t i = 0; i < w->objects.room; i++) {
            const struct rd_object *o = (const struct rd_object *)(uintptr_t)w->objects.slots[i].value;
            if (o && o->addr - first < size)
                forget_lock(w, o->addr, o);
        }
        return;
    }
    for (uint64_t at = from; at < first + size; at += ALIGNED) {
        const uint64_t *slot = rd_map_get(&w->objects, at);
        if (slot)
            forget_lock(w, at, (const struct rd_object *)(uintptr_t)*slot);
    }
}

/*
 * Returns whether a thread waits on the object. On a barrier only arrivals count: it does not know which of the
 * threads that it has released have left it.
 */
static bool has_waiters(const struct rd_object *o) {
    if (o->kind == RD_OBJ_COND)
        for (const struct rd_waiter *p = o->cond.first; p; p = p->next)
            if (!p->signalled)
                return true;
    if (o->kind == RD_OBJ_RWLOCK)
        return o->rwlock.writers_waiting;
    return o->kind == RD_OBJ_BARRIER && o->barrier.arrived;
}

/*
 * Returns whether a lock is held, for its initialisation or destruction. A lock whose owner has ended stays held,
 * except a robust lock, which can be taken then; for that, operations on robust locks depend on every event
 * (rd_engine_access_mode).
 */
static bool is_held(const struct rd_world *w, const struct rd_mutex *m, bool init) {
    RD_CHECK(!m || m->owner < w->count);
    return m && (init || !m->robust || w->threads[m->owner].state == RD_T_READY);
}

/*
 * Returns the kind of object that must exist for the operation. An operation that ends a wait, such as the wake-up
 * from a condition or the leaving of a barrier, needs none: its thread has been released already.
 */
static enum rd_object_kind used_by(unsigned kind) {
    switch (kind) {
    case RD_OP_MUTEX_LOCK:
    case RD_OP_MUTEX_TRYLOCK:
    case RD_OP_MUTEX_UNLOCK:
    case RD_OP_MUTEX_CONSISTENT:
    case RD_OP_MUTEX_DESTROY:
        return RD_OBJ_MUTEX;
    case RD_OP_COND_WAIT:
    case RD_OP_COND_SIGNAL:
    case RD_OP_COND_BROADCAST:
    case RD_OP_COND_DESTROY:
        return RD_OBJ_COND;
    case RD_OP_SPIN_LOCK:
    case RD_OP_SPIN_TRYLOCK:
    case RD_OP_SPIN_UNLOCK:
        return RD_OBJ_SPIN;
    case RD_OP_RWLOCK_RDLOCK:
    case RD_OP_RWLOCK_TRYRDLOCK:
    case RD_OP_RWLOCK_QUEUE:
    case RD_OP_RWLOCK_WRLOCK:
    case RD_OP_RWLOCK_TRYWRLOCK:
    case RD_OP_RWLOCK_UNLOCK:
        return RD_OBJ_RWLOCK;
    case RD_OP_SEM_WAIT:
    case RD_OP_SEM_TRYWAIT:
    case RD_OP_SEM_POST:
    case RD_OP_SEM_VALUE:
        return RD_OBJ_SEM;
    case RD_OP_BARRIER_ARRIVE:
        return RD_OBJ_BARRIER;
    default:
        return RD_OBJ_NONE;
    }
}

/*
 * Returns the kind of object that the operation destroys. The general operation has it in op->arg; 0 there is an
 * object whose destruction leaves no mark in its memory.
 */
static enum rd_object_kind destroyed_by(const struct rd_op *op) {
    return op->kind == RD_OP_OBJECT_DESTROY ? (enum rd_object_kind)op->arg : used_by(op->kind);
}

static void note_destroyed(struct rd_world *w, rd_tid tid, const struct rd_op *op) {
    struct rd_object *o = rd_world_object(w, op->addr, RD_OBJ_NONE);
    o->destroyed_kind = (uint8_t)destroyed_by(op);
    o->destroyed_tid = tid;
    o->destroyed_pc = op->pc;
    w->any_destroyed |= o->destroyed_kind != RD_OBJ_NONE;
}

/* Returns the object that was destroyed at the address, or NULL; its memory may have been assigned anew since. */
static struct rd_object *find_destroyed(const struct rd_world *w, uint64_t addr, enum rd_object_kind kind) {
    const uint64_t *slot = w->any_destroyed ? rd_map_get(&w->objects, addr) : NULL;
    struct rd_object *o = slot ? (struct rd_object *)(uintptr_t)*slot : NULL;
    return o && o->kind == RD_OBJ_NONE && o->destroyed_kind == kind && kind != RD_OBJ_NONE ? o : NULL;
}

bool rd_world_is_destroyed(const struct rd_world *w, uint64_t addr, enum rd_object_kind kind) {
    return find_destroyed(w, addr, kind) && (!w->still_destroyed || w->still_destroyed(addr, kind));
}

const struct rd_object *rd_world_destroyed(struct rd_world *w, uint64_t addr, enum rd_object_kind kind) {
    struct rd_object *o = find_destroyed(w, addr, kind);
    if (o && w->still_destroyed && !w->still_destroyed(addr, kind))
        o->destroyed_kind = RD_OBJ_NONE;
    return o && o->destroyed_kind ? o : NULL;
}

bool rd_model_finds_destroyed(struct rd_world *w, const struct rd_op *op, struct rd_result *r) {
    bool destroys =
        op->kind == RD_OP_MUTEX_DESTROY || op->kind == RD_OP_COND_DESTROY || op->kind == RD_OP_OBJECT_DESTROY;
    const struct rd_object *o = rd_world_destroyed(w, op->addr, destroys ? destroyed_by(op) : used_by(op->kind));
    if (!o && op->kind == RD_OP_COND_WAKE) /* it takes its mutex back */
        o = rd_world_destroyed(w, op->addr2, RD_OBJ_MUTEX);
    if (!o)
        return false;
    RD_CHECK(o->kind == RD_OBJ_NONE && o->destroyed_kind != RD_OBJ_NONE);
    r->error = EINVAL;
    r->misuse =
        destroys ? "destruction of an object that was destroyed before" : "use of an object that was destroyed";
    r->misuse_tid = o->destroyed_tid;
    r->misuse_pc = o->destroyed_pc;
    return true;
}

/* Returns a thread that waits on the object, or RD_TID_NONE if the object does not know which thread waits. */
static rd_tid waiter_of(const struct rd_object *o) {
    const struct rd_waiter *p = o->kind == RD_OBJ_COND ? o->cond.first : NULL;
    while (p && p->signalled)
        p = p->next;
    return p ? p->tid : o->kind == RD_OBJ_RWLOCK ? o->rwlock.queued.owner : RD_TID_NONE;
}

/*
 * Initialises or destroys the object at the address, whose previous state is lost. The operation reads only the
 * object itself, so that it depends on no other event. A thread that waits on it without a trace in the object,
 * such as for a semaphore, later finds the object destroyed.
 */
RD_MODEL_PERFORM(rd_object_reset) {
    (void)way;
    const uint64_t *slot = rd_map_get(&w->objects, op->addr);
    const struct rd_object *o = slot ? (const struct rd_object *)(uintptr_t)*slot : NULL;
    bool init = op->kind == RD_OP_MUTEX_INIT || op->kind == RD_OP_COND_INIT || op->kind == RD_OP_OBJECT_INIT;
    const struct rd_mutex *m = o ? held_lock(o) : NULL;
    if (is_held(w, m, init)) {
        r->misuse = init ? "initialisation of a lock that is held" : "destruction of a lock that is held";
        r->misuse_tid = m->owner;
        r->misuse_pc = m->taken_pc;
    } else if (o && has_waiters(o)) {
        rd_tid waiter = waiter_of(o);
        RD_CHECK(waiter == RD_TID_NONE || waiter < w->count);
        r->misuse = init ? "initialisation of an object that a thread waits on"
                         : "destruction of an object that a thread waits on";
        r->misuse_tid = waiter;
        r->misuse_pc = waiter == RD_TID_NONE ? 0 : w->threads[waiter].pending.pc;
    }
    rd_world_forget(w, op->addr);
    RD_ASSERT(!o || (o->kind == RD_OBJ_NONE && o->destroyed_kind == RD_OBJ_NONE));
    if (!init)
        note_destroyed(w, tid, op);
}

bool rd_await_enabled(const struct rd_world *w, rd_tid tid, const struct rd_op *op) {
    (void)op;
    return !w->changed || w->changed(w->changed_ctx, tid);
}
