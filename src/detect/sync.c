/* sync.c - see sync.h. */
#include "detect/sync.h"

#include "trace/code_ranges.h"
#include "trace/event.h"
#include "trace/place.h"

#include <errno.h>

/* What an object has been given: by those who exclude everybody, and by those who share it. */
struct rd_sync_object {
    struct rd_vclock given, shared;
    struct rd_vclock arriving; /* of a barrier: in the round that is being filled */
    rd_tid owner;              /* of a mutex: who has taken it last */
};

void rd_sync_init(struct rd_sync *s, struct rd_arena *a, uint32_t threads, const struct rd_cxx20 *cxx20) {
    *s = (struct rd_sync){.arena = a, .threads = threads, .cxx20 = cxx20};
    s->thread = rd_arena_zero(a, threads * sizeof *s->thread);
    for (uint32_t t = 0; t < threads; t++)
        rd_vclock_set(&s->thread[t].now, a, t, 1);
}

static struct rd_sync_object *object(struct rd_sync *s, rd_place place) {
    uint64_t *slot = rd_map_put(&s->objects, s->arena, place);
    if (!*slot)
        *slot = (uintptr_t)rd_arena_zero(s->arena, sizeof(struct rd_sync_object));
    return (struct rd_sync_object *)(uintptr_t)*slot;
}

static void take(struct rd_sync *s, rd_tid tid, const struct rd_vclock *from) {
    rd_vclock_join(&s->thread[tid].now, s->arena, from);
}

/* What the thread does from now on is not part of what it has given. */
static void give(struct rd_sync *s, rd_tid tid, struct rd_vclock *to) {
    struct rd_vclock *now = &s->thread[tid].now;
    rd_vclock_join(to, s->arena, now);
    rd_vclock_set(now, s->arena, tid, rd_vclock_get(now, tid) + 1);
}

/* ---- atomics ---- */

static bool acquires(unsigned order) {
    return order == __ATOMIC_ACQUIRE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST ||
           order == __ATOMIC_CONSUME;
}

static bool releases(unsigned order) {
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

/* What one thread has released there, by stores that the release sequence still goes on from. */
struct rd_sync_head {
    struct rd_sync_head *next;
    struct rd_vclock given;
    rd_tid tid;
};

static void atomic_load(struct rd_sync *s, rd_tid tid, const struct rd_sync_head *first, unsigned order) {
    for (const struct rd_sync_head *h = first; h; h = h->next) {
        if (acquires(order))
            take(s, tid, &h->given);
        else
            rd_vclock_join(&s->thread[tid].seen, s->arena, &h->given);
    }
}

static struct rd_sync_head *head_of(struct rd_sync *s, struct rd_sync_head **first, rd_tid tid) {
    struct rd_sync_head *h = *first;
    while (h && h->tid != tid)
        h = h->next;
    if (!h) {
        h = rd_arena_zero(s->arena, sizeof *h);
        *h = (struct rd_sync_head){.next = *first, .tid = tid};
        *first = h;
    }
    return h;
}

static bool is_cxx20(const struct rd_sync *s, rd_place pc) {
    uint32_t low = 0, high = s->cxx20 ? s->cxx20->count : 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (pc > s->cxx20->at[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    return s->cxx20 && low < s->cxx20->count && pc >= s->cxx20->at[low].first;
}

/* A store that is no read-modify-write: what others have released ends here, and in C++20 what its own thread has.
 */
static void begin_sequence(struct rd_sync_head *first, rd_tid tid, bool anew) {
    for (struct rd_sync_head *h = first; h; h = h->next)
        if (anew || h->tid != tid)
            h->given.count = 0;
}

static void atomic_store(struct rd_sync *s, const struct rd_step *step, struct rd_sync_head **first, bool goes_on) {
    struct rd_vclock *released = &s->thread[step->tid].released;
    unsigned order = RD_ORDER_OF(step->order);
    if (!goes_on)
        begin_sequence(*first, step->tid, is_cxx20(s, step->pc));
    if (!releases(order) && !released->count)
        return;
    struct rd_vclock *at = &head_of(s, first, step->tid)->given;
    rd_vclock_join(at, s->arena, released);
    if (releases(order))
        give(s, step->tid, at);
}

static void atomic(struct rd_sync *s, const struct rd_step *step) {
    uint64_t *slot = rd_map_put(&s->atomics, s->arena, step->place);
    struct rd_sync_head *first = (struct rd_sync_head *)(uintptr_t)*slot;
    unsigned flags = rd_op_flags(step->op), order = RD_ORDER_OF(step->order);
    bool failed = step->op == RD_OP_ATOMIC_CAS && step->result;
    if (flags & RD_F_READS)
        atomic_load(s, step->tid, first, failed ? RD_ORDER_FAILED(step->order) : order);
    if ((flags & RD_F_WRITES) && !failed)
        atomic_store(s, step, &first, flags & RD_F_READS);
    *slot = (uintptr_t)first;
}

static void fence(struct rd_sync *s, rd_tid tid, unsigned order) {
    struct rd_sync_thread *t = &s->thread[tid];
    if (acquires(order))
        take(s, tid, &t->seen);
    if (releases(order))
        give(s, tid, &t->released);
}

/* ---- objects ---- */

static bool got_it(const struct rd_step *step) { return step->result == 0 || step->result == EOWNERDEAD; }

static void barrier(struct rd_sync *s, const struct rd_step *step) {
    struct rd_sync_object *o = object(s, step->place), *round = object(s, rd_event_gate(step));
    if (step->op == RD_OP_BARRIER_ARRIVE) {
        give(s, step->tid, &o->arriving);
        if (!step->value)
            return; /* not the last of its round */
        rd_vclock_join(&o->given, s->arena, &o->arriving);
        rd_vclock_join(&round->given, s->arena, &o->given);
        o->arriving.count = 0;
    }
    take(s, step->tid, &round->given);
}

static void threads(struct rd_sync *s, const struct rd_step *step) {
    if (step->value >= s->threads || step->value == step->tid || step->result)
        return;
    struct rd_sync_thread *other = &s->thread[step->value];
    if (step->op == RD_OP_CREATE)
        give(s, step->tid, &other->now);
    else if (step->op == RD_OP_JOIN || step->op == RD_OP_TRYJOIN)
        take(s, step->tid, &other->now);
    else
        give(s, step->tid, &other->sent);
}

/* To the process: whoever handles it. */
static void to_everybody(struct rd_sync *s, rd_tid tid) {
    struct rd_vclock *now = &s->thread[tid].now;
    for (uint32_t t = 0; t < s->threads; t++)
        if (t != tid)
            rd_vclock_join(&s->thread[t].sent, s->arena, now);
    rd_vclock_set(now, s->arena, tid, rd_vclock_get(now, tid) + 1);
}

static void taken(struct rd_sync *s, rd_tid tid, struct rd_sync_object *o, bool orphaned) {
    if (orphaned) /* its owner's end was the release */
        take(s, tid, &s->thread[o->owner].now);
    o->owner = tid;
    take(s, tid, &o->given);
    take(s, tid, &o->shared);
}

static void lock(struct rd_sync *s, const struct rd_step *step) {
    rd_tid tid = step->tid;
    switch (step->op) {
    case RD_OP_MUTEX_LOCK:
    case RD_OP_MUTEX_TRYLOCK:
    case RD_OP_SPIN_LOCK:
    case RD_OP_SPIN_TRYLOCK:
    case RD_OP_RWLOCK_WRLOCK:
    case RD_OP_RWLOCK_TRYWRLOCK:
        if (!got_it(step))
            break;
        taken(s, tid, object(s, step->place), step->result == EOWNERDEAD);
        break;
    case RD_OP_RWLOCK_RDLOCK:
    case RD_OP_RWLOCK_TRYRDLOCK:
        if (got_it(step))
            take(s, tid, &object(s, step->place)->given);
        break;
    case RD_OP_MUTEX_UNLOCK:
    case RD_OP_SPIN_UNLOCK:
    case RD_OP_RWLOCK_UNLOCK: {
        struct rd_sync_object *o = object(s, step->place);
        if (step->result == 0)
            give(s, tid, rd_access_mode(step->order) == RD_ACCESS_SHARED ? &o->shared : &o->given);
        break;
    }
    case RD_OP_COND_WAIT:
        if (step->result == 0 && step->flags & RD_STEP_VALUE2)
            give(s, tid, &object(s, step->value)->given);
        break;
    case RD_OP_COND_WAKE: /* however the wait ends, it ends with the mutex */
        if (step->flags & RD_STEP_VALUE2)
            take(s, tid, &object(s, step->value)->given);
        break;
    default:
        break;
    }
}

/* Those where who comes through is let through by what others did before. */
static void gate(struct rd_sync *s, const struct rd_step *step, bool gives, bool takes) {
    rd_place gate = rd_event_gate(step);
    struct rd_sync_object *o = object(s, step->place);
    if (takes && step->result == 0)
        take(s, step->tid, &object(s, gate)->given);
    if (gives && step->result == 0)
        give(s, step->tid, &o->given);
    if (gives && gate != step->place) /* to those whom it lets go, and no later ones */
        rd_vclock_join(&object(s, gate)->given, s->arena, &o->given);
}

static void pass_through(struct rd_sync *s, rd_tid tid, rd_place other, bool gives, bool takes) {
    if (takes)
        take(s, tid, &object(s, other)->given);
    if (gives)
        give(s, tid, &object(s, other)->given);
}

/*
 * Open files. What is sent to one that is not known may come out anywhere: it is given to all who take something
 * out.
 */
static void io(struct rd_sync *s, const struct rd_step *step, bool gives, bool takes) {
    struct rd_sync_object *anywhere = object(s, rd_place_make(RD_PLACE_IO + RD_IO_SEVERAL, 0));
    bool wide = rd_access_mode_is_wide(step->order);
    const struct rd_extents *x = rd_extents_of(step->order, step->value);
    if (step->result)
        return;
    if (step->flags & RD_STEP_VALUE2)
        pass_through(s, step->tid, step->value, gives, takes);
    for (uint32_t i = 0; x && i < x->count; i++)
        if (x->at[i].object)
            pass_through(s, step->tid, x->at[i].first, gives, takes);
    if (takes)
        take(s, step->tid, &anywhere->given);
    if (gives && step->op == RD_OP_IO_SEND && wide)
        give(s, step->tid, &anywhere->given);
    gate(s, step, gives, takes);
}

void rd_sync_unseen(struct rd_sync *s, rd_tid tid) {
    pass_through(s, tid, rd_place_make(RD_PLACE_OTHER, 0), true, true);
}

void rd_sync_step(struct rd_sync *s, const struct rd_step *step) {
    struct rd_sync_thread *t = &s->thread[step->tid];
    if (step->flags & RD_STEP_SIGNALLED) {
        take(s, step->tid, &t->sent);
        return;
    }
    switch (step->op) {
    case RD_OP_READ:
    case RD_OP_WRITE:
    case RD_OP_FREE:
    case RD_OP_AWAIT:
    case RD_OP_CALL: /* what libraries do inside orders nothing that a program may rely on */
        return;
    case RD_OP_FENCE:
        fence(s, step->tid, RD_ORDER_OF(step->order));
        return;
    case RD_OP_CREATE:
    case RD_OP_JOIN:
    case RD_OP_TRYJOIN:
    case RD_OP_CANCEL:
        threads(s, step);
        return;
    case RD_OP_SIGNAL_SEND:
        if (step->value < s->threads)
            threads(s, step);
        else
            to_everybody(s, step->tid);
        return;
    case RD_OP_SIGNAL_WAIT:
    case RD_OP_TESTCANCEL:
        take(s, step->tid, &t->sent);
        return;
    case RD_OP_BARRIER_ARRIVE:
    case RD_OP_BARRIER_LEAVE:
        barrier(s, step);
        return;
    case RD_OP_SEM_POST:
    case RD_OP_ONCE_END:
    case RD_OP_FUTEX_WAKE:
    case RD_OP_RELEASE:
        gate(s, step, true, false);
        return;
    case RD_OP_IO_CLOSE:
        io(s, step, true, false);
        return;
    case RD_OP_IO_POLL:
        io(s, step, false, true);
        return;
    case RD_OP_SEM_WAIT:
    case RD_OP_SEM_TRYWAIT:
    case RD_OP_ONCE_BEGIN:
    case RD_OP_FUTEX_WOKEN:
    case RD_OP_ACQUIRE:
    case RD_OP_TEAM: /* after what was released there; most of its objects only schedule, and nothing is */
        gate(s, step, false, true);
        return;
    case RD_OP_IO_SEND:
    case RD_OP_IO_RECEIVE:
    case RD_OP_IO_ACCEPT:
    case RD_OP_IO_CONNECT:
    case RD_OP_IO_CONTROL:
        io(s, step, true, true);
        return;
    default:
        if (rd_op_flags(step->op) & RD_F_ATOMIC)
            atomic(s, step);
        else
            lock(s, step);
    }
}
