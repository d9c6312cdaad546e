/*
 * object.c - recognises, by the memory of the program's own synchronisation objects, those that were destroyed or
 * never initialised.
 *
 * A destroyed object gets a mark: a value of one field that a live object never has (glibc does so with mutexes).
 * The model remembers where the object was destroyed. As long as the mark is there, the program has not made a new
 * object in its place, not even by assigning an initialiser or by zeroing the memory. So memory that is used again
 * is never taken for a misuse.
 *
 * An object counts as never initialised only where its field has a value that no initialiser leaves. All zeros are
 * a valid mutex, condition variable, read-write lock and semaphore.
 */
#include "rt/hook/hook.h"

#include "trace/place.h"

#include <limits.h>
#include <semaphore.h>
#include <stddef.h>
#include <string.h>

/* glibc's semaphore (struct new_sem) and barrier (struct pthread_barrier), which no public header declares. */
struct glibc_semaphore {
    uint64_t value; /* low 32 bits: the value; high 32 bits: the number of waiters */
    uint32_t kind;  /* `private`: 0, or LLL_SHARED (128) for a semaphore that processes share */
};
struct glibc_barrier {
    uint32_t arrived, round, count; /* in, current_round, count */
};
static_assert(sizeof(struct glibc_semaphore) <= sizeof(sem_t), "glibc");
static_assert(sizeof(struct glibc_barrier) <= sizeof(pthread_barrier_t), "glibc");

/* For each kind of object: the field for the mark, the mark, and the message for an object that is none. */
static const struct object_field {
    uint32_t offset, mark;
    const char *uninitialised;
} fields[] = {
    [RD_OBJ_MUTEX] = {offsetof(pthread_mutex_t, __data.__kind), UINT32_MAX,
                      "use of a mutex that was not initialised"},
    [RD_OBJ_COND] = {offsetof(pthread_cond_t, __data.__wrefs), 0xdead0dd0,
                     "use of a condition variable that was not initialised"},
    [RD_OBJ_RWLOCK] = {offsetof(pthread_rwlock_t, __data.__flags), 0xdead0dd0,
                       "use of a read-write lock that was not initialised"},
    [RD_OBJ_SEM] = {offsetof(struct glibc_semaphore, kind), 0xdead0dd0,
                    "use of a semaphore that was not initialised"},
    [RD_OBJ_BARRIER] = {offsetof(struct glibc_barrier, count), 0, "wait on a barrier that was not initialised"},
    [RD_OBJ_SPIN] = {0, 0xdead0dd0, "use of a spin lock that was not initialised"},
};

static_assert(RD_COUNT(fields) == (int)RD_OBJ_SPIN + 1, "a row for each kind of object");

/* Returns whether objects of this kind have a field for the mark. */
static bool has_field(unsigned kind) { return kind < RD_COUNT(fields) && fields[kind].uninitialised; }

static uint32_t field_of(unsigned kind, const void *object) {
    uint32_t value;
    RD_ASSERT(has_field(kind));
    memcpy(&value, (const char *)object + fields[kind].offset, sizeof value);
    return value;
}

void rd_hook_mark_destroyed(unsigned kind, void *object) {
    RD_CHECK(has_field(kind));
    memcpy((char *)object + fields[kind].offset, &fields[kind].mark, sizeof fields[kind].mark);
}

void rd_hook_object_init(const void *object, uint64_t pc) {
    if (rd_rt_active())
        rd_rt_instant((struct rd_op){.kind = RD_OP_OBJECT_INIT, .addr = (uintptr_t)object, .pc = pc});
}

void rd_hook_object_destroy(unsigned kind, void *object, uint64_t pc) {
    rd_rt_op((struct rd_op){.kind = RD_OP_OBJECT_DESTROY, .addr = (uintptr_t)object, .arg = kind, .pc = pc});
    rd_hook_mark_destroyed(kind, object);
}

bool rd_object_is_left(uint64_t addr, unsigned kind) {
    uint64_t value;
    RD_CHECK(has_field(kind)); /* only such objects are destroyed */
    return rd_rt_peek(addr + fields[kind].offset, 4, &value) && value == fields[kind].mark;
}

/*
 * Returns whether the value is the one that pthread_spin_init stores: under control no thread really takes a spin
 * lock. In memory that may be shared with another process every value counts as a spin lock.
 */
static bool is_spin_lock(const void *object, uint32_t value) {
    static pthread_spinlock_t fresh;
    static bool known;
    unsigned region = rd_place_region(rd_place_of((uintptr_t)object));
    if (!known)
        RD_REAL(pthread_spin_init)(&fresh, PTHREAD_PROCESS_PRIVATE);
    known = true;
    return value == (uint32_t)fresh || region == RD_PLACE_OTHER;
}

/* Returns whether a live object of this kind can have this value in its field. */
static bool is_object(unsigned kind, const void *object, uint32_t value) {
    enum { MUTEX_BITS = 3 | 16 | 32 | 64 | 128 | 256 | 512, WAITERS_MAX = 1 << 20, SEM_SHARED = 128 };
    switch (kind) {
    case RD_OBJ_MUTEX:
        return (value & ~(uint32_t)MUTEX_BITS) == 0;
    case RD_OBJ_COND:
        return value >> 3 < WAITERS_MAX;
    case RD_OBJ_RWLOCK:
        return value <= PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
    case RD_OBJ_SEM:
        return (value == 0 || value == SEM_SHARED) &&
               (uint32_t)((const struct glibc_semaphore *)object)->value <= (uint32_t)INT_MAX;
    case RD_OBJ_BARRIER:
        return value != 0;
    default:
        return is_spin_lock(object, value);
    }
}

/*
 * With several threads, a destroyed object may be initialised anew before the operation has its turn; the model
 * (model/world.c) reports the misuse then.
 */
void rd_hook_check_object(unsigned kind, const void *object, uint64_t pc) {
    uint32_t value = field_of(kind, object);
    if (RD_LIKELY(value != fields[kind].mark && is_object(kind, object, value)))
        return;
    const struct rd_object *gone =
        rd_world_destroyed(&rd_rt.engine.world, (uintptr_t)object, (enum rd_object_kind)kind);
    if (gone && rd_rt.threaded)
        return;
    if (gone)
        rd_hook_misuse_since("use of an object that was destroyed", pc, gone->destroyed_tid, gone->destroyed_pc);
    rd_hook_misuse(fields[kind].uninitialised, pc);
}

void rd_hook_remade(const void *object, unsigned from, unsigned to, uint64_t arg) {
    struct rd_world *w = &rd_rt.engine.world;
    RD_CHECK(from <= to && to < RD_OP_KINDS);
    for (uint32_t i = 0; rd_rt.threaded && i < w->count; i++) {
        struct rd_op *op = &w->threads[i].pending;
        if (w->threads[i].state == RD_T_READY && op->addr == (uintptr_t)object && op->kind >= from &&
            op->kind <= to)
            op->arg = arg;
    }
}
