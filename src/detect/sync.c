/*
 * sync.c - the vector clocks of sync.h, step by step. Notation as in FastTrack (Flanagan and Freund, PLDI 2009):
 * C_t is the clock of thread t (struct rd_sync_thread.now), L_m the clock of object m (struct rd_sync_object). An
 * acquire is C_t := C_t joined with L_m, a release is L_m := L_m joined with C_t followed by C_t[t] += 1. So C_t[t]
 * is the number of the thread's current epoch, and all accesses between two releases have the same epoch.
 *
 * Invariant: no clock has an entry for thread t that is greater than C_t[t].
 */
#include "detect/sync.h"

#include "trace/code_ranges.h"
#include "trace/event.h"
#include "trace/place.h"

#include <errno.h>

/* The clocks of one synchronisation object, or of one generation of a barrier or a futex (rd_event_gate). */
struct rd_sync_object {
    struct rd_vclock given;    /* by all releases, but not by releases of a read lock */
    struct rd_vclock shared;   /* by releases of a read lock: only a later write lock acquires them */
    struct rd_vclock arriving; /* of a barrier: by the arrivals in the generation that is not complete yet */
    rd_tid owner;              /* of a mutex: the thread that locked it last */
};

void rd_sync_init(struct rd_sync *s, struct rd_arena *a, uint32_t threads, const struct rd_cxx20 *cxx20) {
    RD_CHECK(threads > 0);
    *s = (struct rd_sync){.arena = a, .cxx20 = cxx20};
    rd_sync_reach(s, threads);
}

void rd_sync_reach(struct rd_sync *s, uint32_t threads) {
    RD_CHECK(threads <= RD_TID_MAX);
    if (threads <= s->threads)
        return;
    struct rd_sync_thread *before = s->thread;
    s->thread = rd_arena_zero(s->arena, threads * sizeof *s->thread);
    for (uint32_t t = 0; t < s->threads; t++)
        s->thread[t] = before[t];
    for (uint32_t t = s->threads; t < threads; t++)
        rd_vclock_set(&s->thread[t].now, s->arena, t, 1);
    s->threads = threads;
}

/* True if the thread knows of no epoch of another thread that has not begun. */
static bool is_sound(const struct rd_sync *s, rd_tid tid) {
    for (uint32_t t = 0; t < s->threads; t++)
        if (rd_vclock_get(&s->thread[tid].now, t) > rd_vclock_get(&s->thread[t].now, t))
            return false;
    return true;
}

static struct rd_sync_object *object(struct rd_sync *s, rd_place place) {
    uint64_t *slot = rd_map_put(&s->objects, s->arena, place);
    if (!*slot)
        *slot = (uintptr_t)rd_arena_zero(s->arena, sizeof(struct rd_sync_object));
    return (struct rd_sync_object *)(uintptr_t)*slot;
}

/* The thread acquires the clock: the events in it happen before the thread's further steps. */
static void acquire(struct rd_sync *s, rd_tid tid, const struct rd_vclock *from) {
    rd_vclock_join(&s->thread[tid].now, s->arena, from);
}

/* The thread releases its clock into another one and begins its next epoch, which is not part of the release. */
static void release(struct rd_sync *s, rd_tid tid, struct rd_vclock *to) {
    struct rd_vclock *now = &s->thread[tid].now;
    rd_vclock_join(to, s->arena, now);
    RD_ASSERT(rd_vclock_get(to, tid) == rd_vclock_get(now, tid));
    rd_vclock_set(now, s->arena, tid, rd_vclock_get(now, tid) + 1);
}

/* ---- atomics ---- */

/* True if a load or fence with this memory order acquires. */
static bool is_acquire(unsigned order) {
    return order == __ATOMIC_ACQUIRE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST ||
           order == __ATOMIC_CONSUME;
}

/* True if a store or fence with this memory order releases. */
static bool is_release(unsigned order) {
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

/*
 * The releases of one thread at an atomic object: the clock of the release sequences (C11 5.1.2.4, C++11
 * [intro.races]) that it has headed there and that the current value belongs to. An empty clock: there is none.
 */
struct rd_sync_sequence {
    struct rd_sync_sequence *next; /* of another thread, at the same object */
    struct rd_vclock given;
    rd_tid tid;
};

/* A load reads a value of these release sequences. Without acquire order a later acquire fence acquires them. */
static void atomic_load(struct rd_sync *s, rd_tid tid, const struct rd_sync_sequence *first, unsigned order) {
    for (const struct rd_sync_sequence *h = first; h; h = h->next) {
        if (is_acquire(order))
            acquire(s, tid, &h->given);
        else
            rd_vclock_join(&s->thread[tid].relaxed, s->arena, &h->given);
    }
}

/* The release sequences of the thread at this object. */
static struct rd_sync_sequence *sequence_of(struct rd_sync *s, struct rd_sync_sequence **first, rd_tid tid) {
    struct rd_sync_sequence *h = *first;
    while (h && h->tid != tid)
        h = h->next;
    if (!h) {
        h = rd_arena_zero(s->arena, sizeof *h);
        *h = (struct rd_sync_sequence){.next = *first, .tid = tid};
        *first = h;
    }
    return h;
}

/* True if the code at this place is known to be C++20 or later. */
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

/*
 * A store that is not a read-modify-write ends the release sequences of all other threads. Those of its own thread
 * go on with it up to C++17 and in C; since C++20 (`anew`) it ends them, too.
 */
static void begin_sequence(struct rd_sync_sequence *first, rd_tid tid, bool anew) {
    for (struct rd_sync_sequence *h = first; h; h = h->next)
        if (anew || h->tid != tid)
            h->given.count = 0;
}

/* A store; `goes_on`: of a read-modify-write, which is part of every release sequence that it reads from. A relaxed
 * store after a release fence releases the clock of the fence. */
static void atomic_store(struct rd_sync *s, const struct rd_step *step, struct rd_sync_sequence **first,
                         bool goes_on) {
    struct rd_vclock *fenced = &s->thread[step->tid].fenced;
    unsigned order = RD_ORDER_OF(step->order);
    if (!goes_on)
        begin_sequence(*first, step->tid, is_cxx20(s, step->pc));
    if (!is_release(order) && !fenced->count)
        return;
    struct rd_vclock *at = &sequence_of(s, first, step->tid)->given;
    rd_vclock_join(at, s->arena, fenced);
    if (is_release(order))
        release(s, step->tid, at);
}

static void atomic(struct rd_sync *s, const struct rd_step *step) {
    uint64_t *slot = rd_map_put(&s->atomics, s->arena, step->place);
    struct rd_sync_sequence *first = (struct rd_sync_sequence *)(uintptr_t)*slot;
    RD_ASSERT(rd_op_flags(step->op) & RD_F_ATOMIC);
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
    if (is_acquire(order))
        acquire(s, tid, &t->relaxed);
    if (is_release(order))
        release(s, tid, &t->fenced);
}

/* ---- objects ---- */

/* True if the call of a lock function has locked: it returned 0, or EOWNERDEAD of a robust mutex. */
static bool has_locked(const struct rd_step *step) { return step->result == 0 || step->result == EOWNERDEAD; }

/*
 * All arrivals of a generation happen before every departure from it. The last arrival (`value` is the number of
 * the generation then) hands the clock of all arrivals to the generation; from there threads that leave acquire it.
 */
static void barrier(struct rd_sync *s, const struct rd_step *step) {
    struct rd_sync_object *o = object(s, step->place), *generation = object(s, rd_event_gate(step));
    if (step->op == RD_OP_BARRIER_ARRIVE) {
        release(s, step->tid, &o->arriving);
        if (!step->value)
            return; /* not the last arrival of its generation */
        rd_vclock_join(&o->given, s->arena, &o->arriving);
        rd_vclock_join(&generation->given, s->arena, &o->given);
        o->arriving.count = 0;
    }
    acquire(s, step->tid, &generation->given);
}

/* Creation and end of a thread, and messages from one thread to another: `value` is the number of the other thread.
 */
static void threads(struct rd_sync *s, const struct rd_step *step) {
    if (step->value >= s->threads || step->value == step->tid || step->result)
        return;
    struct rd_sync_thread *other = &s->thread[step->value];
    if (step->op == RD_OP_CREATE)
        release(s, step->tid, &other->now);
    else if (step->op == RD_OP_JOIN || step->op == RD_OP_TRYJOIN)
        acquire(s, step->tid, &other->now);
    else
        release(s, step->tid, &other->signals);
}

/* A signal to the process: any thread may run the handler, so all of them may acquire the clock of the sender. */
static void signal_process(struct rd_sync *s, rd_tid tid) {
    struct rd_vclock *now = &s->thread[tid].now;
    for (uint32_t t = 0; t < s->threads; t++)
        if (t != tid)
            rd_vclock_join(&s->thread[t].signals, s->arena, now);
    rd_vclock_set(now, s->arena, tid, rd_vclock_get(now, tid) + 1);
}

/* A thread has locked for writing: it comes after all releases of readers and writers. If the mutex is robust and
 * its owner has died, there was no unlock: the end of the owner is the release. */
static void locked(struct rd_sync *s, rd_tid tid, struct rd_sync_object *o, bool orphaned) {
    if (orphaned)
        acquire(s, tid, &s->thread[o->owner].now);
    o->owner = tid;
    acquire(s, tid, &o->given);
    acquire(s, tid, &o->shared);
}

/* Mutexes, spin locks, read-write locks, and the mutex that a wait for a condition releases and locks again. */
static void lock(struct rd_sync *s, const struct rd_step *step) {
    rd_tid tid = step->tid;
    switch (step->op) {
    case RD_OP_MUTEX_LOCK:
    case RD_OP_MUTEX_TRYLOCK:
    case RD_OP_SPIN_LOCK:
    case RD_OP_SPIN_TRYLOCK:
    case RD_OP_RWLOCK_WRLOCK:
    case RD_OP_RWLOCK_TRYWRLOCK:
        if (!has_locked(step))
            break;
        locked(s, tid, object(s, step->place), step->result == EOWNERDEAD);
        break;
    case RD_OP_RWLOCK_RDLOCK:
    case RD_OP_RWLOCK_TRYRDLOCK:
        if (has_locked(step))
            acquire(s, tid, &object(s, step->place)->given);
        break;
    case RD_OP_MUTEX_UNLOCK:
    case RD_OP_SPIN_UNLOCK:
    case RD_OP_RWLOCK_UNLOCK: {
        struct rd_sync_object *o = object(s, step->place);
        if (step->result == 0)
            release(s, tid, rd_access_mode(step->order) == RD_ACCESS_SHARED ? &o->shared : &o->given);
        break;
    }
    case RD_OP_COND_WAIT:
        if (step->result == 0 && step->flags & RD_STEP_VALUE2)
            release(s, tid, &object(s, step->value)->given);
        break;
    case RD_OP_COND_WAKE: /* a wait ends with the mutex locked, also if it times out or fails */
        if (step->flags & RD_STEP_VALUE2)
            acquire(s, tid, &object(s, step->value)->given);
        break;
    default:
        break;
    }
}

/*
 * Objects where one operation lets later ones through: semaphores, once, futexes. `takes`: the step acquires the
 * clock of the object, or of its generation where the step belongs to one. `gives`: the step releases.
 */
static void gate(struct rd_sync *s, const struct rd_step *step, bool gives, bool takes) {
    RD_ASSERT(gives || takes);
    rd_place gate = rd_event_gate(step);
    struct rd_sync_object *o = object(s, step->place);
    if (takes && step->result == 0)
        acquire(s, step->tid, &object(s, gate)->given);
    if (gives && step->result == 0)
        release(s, step->tid, &o->given);
    if (gives && gate != step->place) /* the threads that this wake-up lets go acquire it, later waiters do not */
        rd_vclock_join(&object(s, gate)->given, s->arena, &o->given);
}

/* The thread acquires from the object of this name, releases at it, or both. */
static void pass_through(struct rd_sync *s, rd_tid tid, rd_place other, bool gives, bool takes) {
    if (takes)
        acquire(s, tid, &object(s, other)->given);
    if (gives)
        release(s, tid, &object(s, other)->given);
}

/*
 * Open files: a send happens before the receives from the same open file. A send whose open file is not known (it
 * depends on everything) may be received from any of them, so every receive acquires it.
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
        acquire(s, step->tid, &anywhere->given);
    if (gives && step->op == RD_OP_IO_SEND && wide)
        release(s, step->tid, &anywhere->given);
    gate(s, step, gives, takes);
}

void rd_sync_unseen(struct rd_sync *s, rd_tid tid) {
    RD_ASSERT(tid < s->threads);
    pass_through(s, tid, rd_place_make(RD_PLACE_OTHER, 0), true, true);
}

/* The clocks after the step, by its kind. */
static void dispatch(struct rd_sync *s, const struct rd_step *step) {
    struct rd_sync_thread *t = &s->thread[step->tid];
    if (step->flags & RD_STEP_SIGNALLED) {
        acquire(s, step->tid, &t->signals);
        return;
    }
    switch (step->op) {
    case RD_OP_READ:
    case RD_OP_WRITE:
    case RD_OP_FREE:
    case RD_OP_AWAIT:
    case RD_OP_CALL: /* a program may not rely on locks that a library takes inside a call */
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
            signal_process(s, step->tid);
        return;
    case RD_OP_SIGNAL_WAIT:
    case RD_OP_TESTCANCEL:
        acquire(s, step->tid, &t->signals);
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
    case RD_OP_TEAM: /* few of its objects have releases (RD_OP_RELEASE); the others only schedule */
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

void rd_sync_step(struct rd_sync *s, const struct rd_step *step) {
    RD_ASSERT(step->tid < s->threads && step->op < RD_OP_KINDS && !rd_step_is_way(step));
    uint32_t before = rd_sync_now(s, step->tid);
    dispatch(s, step);
    (void)before; /* only a checked build reads it */
    RD_ASSERT(rd_sync_now(s, step->tid) >= before);
    RD_ASSERT(is_sound(s, step->tid));
}
