/*
 * model.h - the world as the scheduler sees it: threads, synchronisation objects, the clock.
 *
 * A primitive is one row of `struct rd_model` for each of its operations (table.c): whether a pending operation can
 * complete now, in how many ways, and what it does. The runtime never locks libc's own objects: the world alone
 * says which thread holds what. The models are pure: no I/O, no globals, memory from the execution's arena.
 *
 * CONTRIBUTING.md has the list of files for a new primitive.
 *
 * A model checks only invariants that no program can break. A program may reuse the memory of an object for one of
 * another kind while threads still wait for the first; then the world forgets the first object, and its waiters.
 */
#ifndef RD_MODEL_MODEL_H
#define RD_MODEL_MODEL_H

#include "base/arena.h"
#include "base/map.h"
#include "trace/module.h"
#include "trace/types.h"

enum rd_mutex_type { RD_MUTEX_NORMAL, RD_MUTEX_RECURSIVE, RD_MUTEX_ERRORCHECK };
/*
 * Bits of a mutex operation's arg, and of a condition wait's. LEFT: the wait is left without a return, by an exit
 * of the thread or an exception from a signal handler.
 */
enum { RD_MUTEX_TYPE = 3, RD_MUTEX_ROBUST = 16, RD_MUTEX_RELOCK = 32, RD_MUTEX_LEFT = 64 };
enum rd_mutex_health { RD_MUTEX_FINE, RD_MUTEX_INCONSISTENT, RD_MUTEX_LOST };

struct rd_mutex {
    rd_tid owner;      /* RD_TID_NONE: free */
    uint32_t depth;    /* of a mutex: how often its owner has locked it; 0: it is free */
    uint8_t health;    /* enum rd_mutex_health, of a robust mutex */
    bool robust, spin; /* spin: a spin lock, which is smaller than a mutex */
    uint32_t taken_at; /* step at which the owner took it, + 1; 0: before the first step */
    rd_place taken_pc;
};

struct rd_waiter {
    rd_tid tid;
    bool signalled;
    bool spurious;   /* it may wake at any time without a signal: the choice of its wait (a way) was that */
    uint32_t bitset; /* at a futex: it wakes for wake-ups whose bit set has one of these bits */
    uint64_t queue;  /* address of the condition or futex in whose queue it stands; 0: in none */
    uint64_t mutex;  /* at a condition: address of the mutex that it takes back */
    uint32_t depth;  /* at a condition: depth that the mutex had when the wait gave it up */
    rd_place pc;     /* at a condition: place of the wait */
    struct rd_waiter *next;
    struct rd_waiter *outer; /* the wait that a signal handler interrupts by this one; NULL: none */
};

struct rd_cond {
    struct rd_waiter *first; /* in order of arrival; a signalled waiter stays in the queue until it wakes */
};

/* A thread that holds, or has held, read locks of one read-write lock. */
struct rd_reader {
    rd_tid tid;
    uint32_t locks;       /* how many it holds now */
    struct rd_mutex last; /* the one that it took last, for the report */
    struct rd_reader *next;
};

struct rd_futex {
    struct rd_waiter *first; /* in order of arrival; a wake-up takes the waiters that it wakes out of the queue */
};

struct rd_rwlock {
    struct rd_mutex writer;
    struct rd_mutex reader; /* the read lock that was taken last, for the report; owner NONE: there is none */
    struct rd_reader *known_readers; /* all threads that ever had a read lock here */
    uint32_t readers;                /* read locks held: the sum of `locks` over known_readers */
    uint32_t writers_waiting;        /* with writer preference: they keep new readers out */
    struct rd_mutex queued;          /* the waiting writer that came last, for the report; it holds no lock yet */
};

struct rd_sem {
    int64_t value;
    rd_tid post_tid; /* thread and place of the last post */
    rd_place post_pc;
};

struct rd_barrier {
    uint32_t arrived;    /* threads of the current generation that have arrived */
    uint32_t generation; /* number of the current generation; 0: no thread has arrived */
};

enum rd_once_state { RD_ONCE_NEVER, RD_ONCE_RUNNING, RD_ONCE_DONE };

struct rd_once {
    struct rd_mutex runner; /* its owner is the thread that runs the routine */
    uint8_t state;          /* enum rd_once_state */
    uint8_t late;           /* the routine ended after a second thread had been created */
};

enum rd_object_kind {
    RD_OBJ_NONE,
    RD_OBJ_MUTEX,
    RD_OBJ_COND,
    RD_OBJ_RWLOCK,
    RD_OBJ_SEM,
    RD_OBJ_BARRIER,
    RD_OBJ_ONCE,
    RD_OBJ_FUTEX,
    RD_OBJ_SPIN, /* used only for destroyed objects: a spin lock that exists is an RD_OBJ_MUTEX */
};

/* One synchronisation object of the program, found by its address. */
struct rd_object {
    uint64_t addr;
    uint8_t kind;           /* enum rd_object_kind; NONE: there is no object at the address now */
    uint8_t destroyed_kind; /* with kind NONE: kind of the object that was destroyed here, with no new one since */
    rd_tid destroyed_tid;   /* the thread that destroyed it */
    uint32_t gates;         /* gates so far (event.h), of all objects that ever were at this address */
    rd_place destroyed_pc;  /* place of the operation that destroyed it */
    union {
        struct rd_mutex mutex;
        struct rd_cond cond;
        struct rd_rwlock rwlock;
        struct rd_sem sem;
        struct rd_barrier barrier;
        struct rd_once once;
        struct rd_futex futex;
    };
};

/* Signals from RD_SIGNAL_QUEUED on are real-time signals: one that is sent several times comes as often. */
enum { RD_SIGNAL_QUEUED = 32, RD_SIGNALS = 64 };
enum { RD_CACHE_LINE = 64 };

/*
 * A thread has left a condition wait, and takes the mutex back with an operation of its own. A signal handler can
 * run before it and wait, too.
 */
struct rd_relock {
    uint32_t depth; /* that the mutex had before the wait */
    struct rd_relock *outer;
};

/* The fields that every step reads come first: two cache lines. */
struct rd_thread {
    _Alignas(RD_CACHE_LINE) struct rd_op pending;
    uint64_t pending_hash;
    struct rd_object *object; /* the lock that it used last: a cache for rd_world_find_near; NULL: none */
    uint64_t signals;         /* pending signals that were sent to it; bit n is signal n */
    uint64_t signals_off;     /* its signal mask */
    uint32_t atomic;          /* number of raddle_atomic_begin calls that have not ended */
    uint8_t state;            /* enum rd_thread_state */
    bool detached, joined;
    bool cancel_asked; /* pthread_cancel was called for it */
    bool cancel_off;   /* cancellation is disabled */
    bool cancel_any;   /* asynchronous cancellation: at any operation, not only at cancellation points */
    bool cancel_waits; /* it was cancelled in a condition wait, and ends when it has its mutex back */
    bool barrier_over; /* the generation in which it arrived at a barrier last (below) is over */
    rd_tid parent;
    uint16_t ordinal;        /* index among the children of its parent, from 1 */
    uint16_t children;       /* threads that it has created so far */
    rd_tid reaped_tid;       /* the thread that joined or detached it, or created it detached */
    rd_place reaped_pc;      /* place of that operation */
    uint32_t clock_readings; /* since its last sleep */
    uint32_t gave_up;        /* timed waits that timed out, as far as that is counted (rd_world.timeouts) */
    uint8_t signals_more[RD_SIGNALS - RD_SIGNAL_QUEUED]; /* how often a pending real-time signal was sent again */
    struct rd_waiter waiter;     /* its place in the queue of a condition or a futex: of the innermost wait */
    uint32_t barrier_generation; /* the generation in which it arrived last; 0: it never arrived at a barrier */
    struct rd_relock *relock; /* the condition waits that it has left without their mutexes, the last one first */
    uint64_t barrier;         /* address of that barrier */
};

/* 64 threads, one bit each. A thread whose state is READY is in one of the sets, any other thread in none. */
struct rd_thread_group {
    uint64_t never_blocks; /* its pending operation is always enabled */
    uint64_t may_block;    /* the model of its pending operation says whether it is enabled */
};

struct rd_clock {
    uint64_t now_ns; /* since the start of the program */
};

struct rd_world {
    struct rd_thread *threads; /* `count` of them; the memory behind them is not initialised */
    uint32_t count;            /* highest thread number + 1 */
    uint32_t step;             /* steps recorded so far */
    uint32_t spurious_left;    /* waits that may still be chosen to wake without a signal */
    uint32_t timeouts;         /* number of timed waits that each thread may give up at any time */
    uint32_t unjoined;       /* threads that were created and not joined, finished or not; 0: every event of another
                                thread       happened before now */
    uint64_t signals;        /* pending signals that were sent to the process */
    bool signal_fifo;        /* a signal wakes the waiter that came first, instead of any waiter by choice */
    bool any_destroyed;      /* an object has a destroyed_kind */
    bool timed;              /* an operation with a deadline was announced */
    bool timeouts_unlimited; /* the execution is in its fair tail: `timeouts` no longer limits timed waits */
    struct rd_thread_group group[RD_TID_MAX / 64];
    struct rd_map objects;             /* address -> struct rd_object * */
    uint64_t objects_from, objects_to; /* the lowest and the highest address of an object; from > to: no object */
    struct rd_arena *arena;
    uint32_t alive, alive_max; /* number of threads that are READY, and the largest so far */
    uint8_t signals_more[RD_SIGNALS - RD_SIGNAL_QUEUED];
    struct rd_clock clock;
    /* The runtime's timers: `alarm` is called when the clock has reached `alarm_at`; 0: no timer is set. */
    uint64_t alarm_at;
    void (*alarm)(void *ctx);
    /*
     * Returns whether the memory of an object that was destroyed is still as its destruction left it: a program may
     * make a new object there by a plain assignment. NULL: it always is.
     */
    bool (*still_destroyed)(uint64_t addr, unsigned kind);
    /*
     * Compares the word at the address in the program's memory. Returns 0 if it is `expected`, EAGAIN if it is not,
     * or the reason why the word cannot be read. NULL: it always is.
     */
    int (*compare)(uint64_t addr, uint32_t expected);
    /* Returns whether the descriptors for which the thread's pending operation waits are ready; set by the runtime.
     */
    bool (*io_ready)(void *ctx, rd_tid tid);
    /*
     * Set once a thread waits for a descriptor that can become ready from outside the program. Called when no
     * thread is ready, and a thread waits for descriptors or a signal may come: waits for the outside, at most `ns`
     * nanoseconds (UINT64_MAX: without limit). Returns whether a thread may be ready now.
     */
    bool (*io_outside)(void *ctx, uint64_t ns);
    /* Returns in how many ways the pending RD_OP_TEAM of a thread can complete; 0: it is blocked. NULL: in one. */
    uint32_t (*team)(rd_tid tid);
    bool signals_outside; /* a signal may come from outside the program: io_outside has to wait for it, too */
    void *io_ctx;
    /* Returns whether the thread, whose pending operation is AWAIT, may go on (engine/spin.h). NULL: it may. */
    bool (*changed)(const void *ctx, rd_tid tid);
    const void *changed_ctx;
    struct rd_thread_path *paths; /* position in the tree of creations, by thread number; outlives the execution */
    uint32_t *path_count;
    uint64_t *common_paths; /* the same table in memory that several processes share; NULL: there is one process */
};

struct rd_result {
    int error;      /* what the call returns: 0 or an errno value */
    uint64_t value; /* by kind: number of the created thread … */
    int signal; /* the handler of this signal runs first; then the operation is tried again, or fails with EINTR */
    uint32_t gate;  /* number of the gate of the object that the operation opens (event.h); 0: it opens none */
    bool again;     /* the step was an AWAIT in front of the thread's operation, which is to be announced again */
    bool cancelled; /* the thread was cancelled here: the call does not return */
    /* How the call breaks the rules of its primitive, and the operation that it conflicts with; NULL: it does not.
     */
    const char *misuse;
    rd_place misuse_pc;
    rd_tid misuse_tid;
};

/*
 * The meaning of one kind of operation. NULL slots: always enabled, one way, no effect. A kind has `enabled` if and
 * only if it has the flag RD_F_BLOCKS.
 *
 * Call order for one operation: `enabled` any number of times; in its step `ways` once, then either `perform` once,
 * only if the operation is enabled, or `time_out` once, if its deadline comes first or its thread is cancelled. If
 * the handler of a signal runs first, the step ends without any of them.
 */
struct rd_model {
    bool (*enabled)(const struct rd_world *w, rd_tid tid, const struct rd_op *op);
    /* Returns in how many ways the operation can complete now, at least 1; more than 1 make it a choice. */
    uint32_t (*ways)(const struct rd_world *w, rd_tid tid, const struct rd_op *op);
    /* Completes the operation. pre: it is enabled, and way < ways */
    void (*perform)(struct rd_world *w, rd_tid tid, const struct rd_op *op, uint32_t way, struct rd_result *r);
    /* Gives the wait up. NULL: the call returns ETIMEDOUT, and the world does not change. */
    void (*time_out)(struct rd_world *w, rd_tid tid, const struct rd_op *op, struct rd_result *r);
    /* Returns the lock for which the blocked operation waits; NULL: it does not wait for a lock. */
    const struct rd_mutex *(*waits_for)(const struct rd_world *w, rd_tid tid, const struct rd_op *op);
};

extern const struct rd_model rd_models[RD_OP_KINDS];

/* Updates the sets of threads. Called whenever a thread's state or the kind of its pending operation has changed.
 */
static inline void rd_world_regroup(struct rd_world *w, rd_tid tid) {
    const struct rd_thread *t = &w->threads[tid];
    struct rd_thread_group *g = &w->group[tid / 64];
    uint64_t bit = (uint64_t)1 << (tid % 64), ready = t->state == RD_T_READY ? bit : 0;
    uint64_t may_block = rd_op_flags(t->pending.kind) & RD_F_BLOCKS ? ready : 0;
    RD_ASSERT(!(rd_op_flags(t->pending.kind) & RD_F_BLOCKS) == !rd_models[t->pending.kind].enabled);
    g->never_blocks = (g->never_blocks & ~bit) | (ready ^ may_block);
    g->may_block = (g->may_block & ~bit) | may_block;
}

void rd_world_init(struct rd_world *w, struct rd_arena *a, struct rd_thread_path *paths, uint32_t *path_count);
/* Makes the table of threads at least `count` long; new threads are UNUSED. */
void rd_world_reach(struct rd_world *w, uint32_t count);
/*
 * Returns the object of this kind at the address. If there is none, or one of another kind, it becomes a new
 * object, in the state that an initialiser with zeros gives.
 */
struct rd_object *rd_world_object(struct rd_world *w, uint64_t addr, enum rd_object_kind kind);
/* Returns the object of this kind at the address, or NULL. */
const struct rd_object *rd_world_find(const struct rd_world *w, uint64_t addr, enum rd_object_kind kind);
/* As rd_world_find(), for thread tid: it mostly uses the object that it used before, which is tried first. */
static inline const struct rd_object *rd_world_find_near(const struct rd_world *w, rd_tid tid, uint64_t addr,
                                                         enum rd_object_kind kind) {
    const struct rd_object *o = w->threads[tid].object; /* an object is never moved or freed */
    RD_ASSERT(!o || o->addr != addr || o->kind != kind || o == rd_world_find(w, addr, kind));
    return RD_LIKELY(o && o->addr == addr && o->kind == kind) ? o : rd_world_find(w, addr, kind);
}
/* As rd_world_find_near(), and the next call for this thread tries the object that was found. */
static inline struct rd_object *rd_world_look_near(struct rd_world *w, rd_tid tid, uint64_t addr,
                                                   enum rd_object_kind kind) {
    struct rd_object *o = w->threads[tid].object;
    if (RD_LIKELY(o && o->addr == addr && o->kind == kind))
        return o;
    o = (struct rd_object *)(uintptr_t)rd_world_find(w, addr, kind);
    return o ? w->threads[tid].object = o : NULL;
}
/* As rd_world_object(), for thread tid; the next call for this thread tries the object. */
static inline struct rd_object *rd_world_object_near(struct rd_world *w, rd_tid tid, uint64_t addr,
                                                     enum rd_object_kind kind) {
    struct rd_object *o = w->threads[tid].object;
    if (RD_LIKELY(o && o->addr == addr && o->kind == kind))
        return o;
    return w->threads[tid].object = rd_world_object(w, addr, kind);
}
/* Forgets the object at the address, which was initialised or destroyed. */
void rd_world_forget(struct rd_world *w, uint64_t addr);
/* The memory is freed or unmapped: forgets the locks in it that are held and that no thread waits for. */
void rd_world_vanish(struct rd_world *w, uint64_t first, uint64_t size);
/* Returns the destroyed object at the address, if it was of that kind and there is no new one since; else NULL. */
const struct rd_object *rd_world_destroyed(struct rd_world *w, uint64_t addr, enum rd_object_kind kind);
/* Returns whether rd_world_destroyed() would return an object. */
bool rd_world_is_destroyed(const struct rd_world *w, uint64_t addr, enum rd_object_kind kind);
/* The part of rd_model_uses_destroyed() for a world in which an object was destroyed. */
bool rd_model_finds_destroyed(struct rd_world *w, const struct rd_op *op, struct rd_result *r);
/* Returns whether the operation uses an object that is destroyed. That is misuse, which it writes to `r`. */
static inline bool rd_model_uses_destroyed(struct rd_world *w, const struct rd_op *op, struct rd_result *r) {
    return w->any_destroyed && rd_model_finds_destroyed(w, op, r);
}

/* Returns the number of the parent's next child, the same in every execution; RD_TID_NONE: too many threads. */
rd_tid rd_thread_number(struct rd_world *w, rd_tid parent);
/* Ends a thread. pre: it is READY */
void rd_thread_finish(struct rd_world *w, rd_tid tid);
/*
 * Returns the next mutex that the thread holds and that no thread can unlock once this one has ended, or NULL.
 * `from` is where the walk is: 0 at first.
 */
const struct rd_object *rd_thread_holds(const struct rd_world *w, rd_tid tid, uint32_t *from);

/* Returns whether the thread would be cancelled at its pending operation if it went on now. */
bool rd_model_cancelled(const struct rd_world *w, rd_tid tid);
/* Returns the signal that is delivered to the thread when it goes on, or 0. */
static inline int rd_model_signal(const struct rd_world *w, rd_tid tid) {
    const struct rd_thread *t = &w->threads[tid];
    uint64_t due = (t->signals | w->signals) & ~t->signals_off;
    /* a wait for signals takes the signals of its set itself, without a handler */
    if (t->pending.kind == RD_OP_SIGNAL_WAIT)
        due &= ~t->pending.arg;
    return due ? __builtin_ctzll(due) : 0;
}
/* Takes the signal that rd_model_signal() returns: r->signal. pre: it is not 0 */
void rd_signal_deliver(struct rd_world *w, rd_tid tid, struct rd_result *r);
/* Takes one of the signals in this set that are pending for the thread or for the process; 0: there is none. */
int rd_signal_take(struct rd_world *w, rd_tid tid, uint64_t set);
/* Returns whether the thread can go on by more than a time-out: it completes, is cancelled, or takes a signal. */
bool rd_model_ready(const struct rd_world *w, rd_tid tid);
/* Returns whether a thread whose pending operation cannot complete is enabled all the same. pre: it is READY */
bool rd_model_otherwise(const struct rd_world *w, rd_tid tid);
/*
 * Returns whether the pending operation of a READY thread can complete. The two frequent questions of every step,
 * whether a mutex is free and whether a thread has ended, are answered inline; the model answers all others.
 */
static inline bool rd_model_completes(const struct rd_world *w, rd_tid tid) {
    const struct rd_thread *t = &w->threads[tid];
    const struct rd_op *op = &t->pending;
    const struct rd_object *o = t->object;
    if (op->kind == RD_OP_MUTEX_LOCK && o && o->addr == op->addr && o->kind == RD_OBJ_MUTEX) {
        if (o->mutex.owner == RD_TID_NONE)
            return true;
        if (o->mutex.owner != tid && !(op->arg & RD_MUTEX_ROBUST)) {
            RD_ASSERT(!rd_models[op->kind].enabled(w, tid, op));
            return false;
        }
    }
    if (op->kind == RD_OP_JOIN && op->arg < w->count && op->arg != tid) {
        const struct rd_thread *other = &w->threads[op->arg];
        if (other->state == RD_T_READY && !other->detached && !other->joined && other->pending.kind != RD_OP_JOIN) {
            RD_ASSERT(!rd_models[op->kind].enabled(w, tid, op));
            return false;
        }
    }
    const struct rd_model *m = &rd_models[op->kind];
    return !m->enabled || m->enabled(w, tid, op);
}
/* Returns whether a READY thread is enabled: its operation completes, or it goes on by rd_model_otherwise(). */
static inline bool rd_model_goes_on(const struct rd_world *w, rd_tid tid) {
    const struct rd_thread *t = &w->threads[tid];
    if (rd_model_completes(w, tid))
        return true;
    bool more = t->pending.deadline || t->cancel_asked || t->signals || w->signals;
    return RD_UNLIKELY(more) && rd_model_otherwise(w, tid);
}
static inline bool rd_model_enabled(const struct rd_world *w, rd_tid tid) {
    return tid < w->count && w->threads[tid].state == RD_T_READY && rd_model_goes_on(w, tid);
}
/* Returns whether an enabled thread can only time out. */
static inline bool rd_model_only_times_out(const struct rd_world *w, rd_tid tid) {
    return w->timed && w->threads[tid].pending.deadline && !rd_model_ready(w, tid);
}
/* Returns whether the thread's pending operation waits for descriptors. */
bool rd_io_waits(const struct rd_world *w, rd_tid tid);
/* The part of rd_io_outside() for a program that input from outside can reach. */
bool rd_io_ask_outside(struct rd_world *w);
/*
 * If no thread can go on but by a time-out, waits for input from outside the program that makes a thread ready.
 * Returns whether there is such a thread.
 */
static inline bool rd_io_outside(struct rd_world *w) { return w->io_outside && rd_io_ask_outside(w); }
/* Returns whether the thread's pending operation is a wait with a deadline. */
bool rd_model_may_time_out(const struct rd_world *w, rd_tid tid);

/*
 * Reads the clock. Each reading moves the clock on; for a thread that keeps reading it without a sleep, it runs
 * faster and faster (clock.c).
 */
uint64_t rd_clock_read(struct rd_world *w, rd_tid tid);
void rd_clock_sleep(struct rd_world *w, uint64_t ns);
/* Calls the runtime's timers if they are due. Called whenever the clock has moved. */
void rd_clock_moved(struct rd_world *w);

/*
 * The field `arg` of the operations on futexes. RD_FUTEX_ARG: the expected value of a wait, or the number of
 * waiters that a wake-up wakes; above it the bit set. RD_FUTEX_REQUEUE_ARG: the expected value, above it the number
 * of waiters to wake and the number to move.
 */
#define RD_FUTEX_ANY 0xffffffffu
#define RD_FUTEX_ARG(low, bitset) ((uint64_t)(uint32_t)(low) | (uint64_t)(bitset) << 32)
#define RD_FUTEX_REQUEUE_ARG(expected, wakes, moves) \
    RD_FUTEX_ARG(expected, RD_MIN((uint32_t)(wakes), 0xffffu) | RD_MIN((uint32_t)(moves), 0xffffu) << 16)
#define RD_FUTEX_WAKES(arg) ((uint32_t)((arg) >> 32) & 0xffff)
#define RD_FUTEX_MOVES(arg) ((uint32_t)((arg) >> 48))

#endif
