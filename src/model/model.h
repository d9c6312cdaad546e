/*
 * model.h - the world as the scheduler sees it: threads, synchronisation objects, the clock.
 *
 * A primitive is one row of `struct rd_model` for each of its operations (table.c): may the pending operation
 * complete now, in how many ways, and what does it do. libc's own objects are never really locked; what is in
 * the world is the truth. Everything here is pure: no I/O, no globals, memory from the execution's arena.
 * To add a primitive: its operations in ops.def, its state in struct rd_object, its functions in a file of its
 * own, its rows in table.c, a unit test, and a thin interposer in rt/hook.
 */
#ifndef RD_MODEL_MODEL_H
#define RD_MODEL_MODEL_H

#include "base/arena.h"
#include "base/map.h"
#include "trace/module.h"
#include "trace/types.h"

enum rd_mutex_type { RD_MUTEX_NORMAL, RD_MUTEX_RECURSIVE, RD_MUTEX_ERRORCHECK };
enum { RD_MUTEX_TYPE = 3, RD_MUTEX_ROBUST = 16, RD_MUTEX_RELOCK = 32 }; /* bits of a mutex operation's arg */
enum rd_mutex_health { RD_MUTEX_FINE, RD_MUTEX_INCONSISTENT, RD_MUTEX_LOST };

struct rd_mutex {
    rd_tid owner;      /* RD_TID_NONE: free */
    uint32_t depth;    /* of a recursive one */
    uint8_t health;    /* enum rd_mutex_health, of a robust one */
    bool robust, spin; /* spin: it is a spin lock, smaller than a mutex */
    uint32_t taken_at; /* step + 1 at which it was taken; 0: before the first */
    rd_place taken_pc;
};

struct rd_waiter {
    rd_tid tid;
    bool signalled;
    bool unasked;    /* it was chosen to wake without a signal, and may do so at any time */
    uint32_t bitset; /* of a futex: which wake-ups are meant for it */
    uint64_t at;     /* of a futex: in which queue; 0: in none */
    uint64_t mutex;  /* of a condition: what it takes back */
    struct rd_waiter *next;
};

struct rd_cond {
    struct rd_waiter *first; /* in order of arrival; the signalled ones leave when they wake */
};

/* A thread that has read locks, and how many. */
struct rd_reader {
    rd_tid tid;
    uint32_t locks;
    struct rd_mutex last; /* the one it took last, for the report */
    struct rd_reader *next;
};

struct rd_futex {
    struct rd_waiter *first; /* in order of arrival; a woken one has left */
};

struct rd_rwlock {
    struct rd_mutex writer;
    struct rd_mutex reader;   /* the one that came last, for the report; owner NONE: no readers */
    struct rd_reader *who;    /* all that ever read here */
    uint32_t readers;         /* read locks held, a thread may have several */
    uint32_t writers_waiting; /* with writer preference: they keep new readers out */
    struct rd_mutex queued;   /* the one of them that came last, for the report; it holds nothing yet */
};

struct rd_sem {
    int64_t value;
    rd_tid post_tid; /* the last post */
    rd_place post_pc;
};

struct rd_barrier {
    uint32_t arrived, generation; /* number of the generation that is being filled; 0: no thread has arrived */
};

enum rd_once_state { RD_ONCE_NEVER, RD_ONCE_RUNNING, RD_ONCE_DONE };

struct rd_once {
    struct rd_mutex runner; /* who runs the routine */
    uint8_t state;
    uint8_t late; /* it was run when there were threads */
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
    RD_OBJ_SPIN, /* only as what was destroyed: a spin lock is a mutex else */
};

/* One synchronisation object of the program, found by its address. */
struct rd_object {
    uint64_t addr;
    uint8_t kind;
    uint8_t was; /* kind NONE: what was destroyed here and not made anew since */
    rd_tid was_tid;
    uint32_t gates;  /* rounds of a barrier, wake-ups of a futex so far, of all objects that were here */
    rd_place was_pc; /* by whom, and where */
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

/* Signals from here on are real-time ones: all that are sent come. */
enum { RD_SIGNAL_QUEUED = 32, RD_SIGNALS = 64 };
enum { RD_CACHE_LINE = 64 };

/* What every step looks at comes first: two lines of the cache. */
struct rd_thread {
    _Alignas(RD_CACHE_LINE) struct rd_op pending;
    uint64_t pending_hash;
    struct rd_object *object; /* of a lock that it had to do with last: found again by this (rd_world_find_near) */
    uint64_t signals;         /* sent to it and not taken yet; bit n is signal n */
    uint64_t signals_off;     /* its mask */
    uint32_t atomic;          /* raddle_atomic_begin without its end, so many times */
    uint8_t state;            /* enum rd_thread_state */
    bool detached, joined;
    bool cancel_asked, cancel_off, cancel_any; /* asked for; disabled; at any operation, not at points only */
    rd_tid parent;
    uint16_t ordinal, children;
    rd_tid let_go_tid; /* who joined or detached it, and where */
    rd_place let_go_pc;
    uint32_t clock_readings; /* since its last sleep */
    uint32_t gave_up;        /* timed waits, as far as that is counted (rd_world.timeouts) */
    uint32_t wait_depth;     /* depth of the recursive mutex it gave up in a condition wait */
    bool cancel_waits;       /* it was cancelled in a condition wait, and ends when it has its mutex back */
    uint8_t signals_more[RD_SIGNALS - RD_SIGNAL_QUEUED]; /* how often they were sent besides */
    struct rd_waiter waiter;                             /* of the condition it waits for */
    uint32_t barrier_generation;                         /* in which it arrived */
};

/* Threads that are neither unused nor over, by what they are about to do; 64 of them, one bit each. */
struct rd_thread_group {
    uint64_t free; /* nothing can keep it from going on */
    uint64_t asks; /* the model says whether it can */
};

struct rd_clock {
    uint64_t now_ns; /* since the start of the program */
};

struct rd_world {
    struct rd_thread *threads; /* so many of them; there is nothing beyond */
    uint32_t count;            /* highest thread number + 1 */
    uint32_t step;             /* steps recorded so far */
    uint32_t spurious_left;    /* waits that may still be chosen to wake without a signal */
    uint32_t timeouts;         /* so many timed waits each thread may give up at any time */
    uint32_t unjoined; /* threads created and not joined, finished or not; 0: everything happened before now */
    uint64_t signals;  /* sent to the process and not taken yet */
    bool signal_fifo;
    bool any_destroyed;
    bool timed;   /* there was an operation with a deadline */
    bool hurried; /* the execution is long: timed waits may give up at any time, however many have */
    struct rd_thread_group group[RD_TID_MAX / 64];
    struct rd_map objects;             /* address -> struct rd_object * */
    uint64_t objects_from, objects_to; /* the lowest and the highest address of one; from > to: there is none */
    struct rd_arena *arena;
    uint32_t alive, alive_max; /* threads not finished */
    uint8_t signals_more[RD_SIGNALS - RD_SIGNAL_QUEUED];
    struct rd_clock clock;
    /* The runtime's timers: called when the clock has come to that moment; 0: none is set. */
    uint64_t alarm_at;
    void (*alarm)(void *ctx);
    /* Is what was destroyed there still as it was left, not made anew by a plain assignment? NULL: it is. */
    bool (*is_left)(uint64_t addr, unsigned kind);
    /* Is this in the program's memory now? 0, EAGAIN, or why it cannot be read. NULL: it is. */
    int (*compare)(uint64_t addr, uint32_t expected);
    /* set by the runtime: are the descriptors that the thread's pending operation waits for ready? */
    bool (*io_ready)(void *ctx, rd_tid tid);
    /*
     * Set once somebody waits for a descriptor that can be made ready from outside the program. Called when nobody
     * is ready and somebody waits for descriptors or a signal may come: waits for the outside, at most `ns`
     * (UINT64_MAX: for ever). True: something is ready now.
     */
    bool (*io_outside)(void *ctx, uint64_t ns);
    uint32_t (*team)(rd_tid tid); /* in how many ways its pending RD_OP_TEAM can happen; 0: not now; NULL: in one */
    bool signals_outside;         /* a signal may come from outside, for all that io_outside knows */
    void *io_ctx;
    /* May a thread that waits for others to change what it has read go on? NULL: it may. */
    bool (*changed)(const void *ctx, rd_tid tid);
    const void *changed_ctx;
    struct rd_thread_path *paths; /* outlive the execution: numbers of threads by their place in the tree */
    uint32_t *path_count;
    uint64_t *common_paths; /* the same for several processes, by number (rd_thread_number); NULL: there is one */
};

struct rd_result {
    int error;      /* what the call returns: 0 or an errno value */
    uint64_t value; /* by kind: number of the created thread … */
    int signal;     /* this signal's handler runs first; then the operation is tried again, or fails with EINTR */
    uint32_t gate;  /* the object's turn that lets waiters go, or 0: see event.h */
    bool again;     /* it was only a wait for the operation that was announced: announce that again */
    bool cancelled; /* the thread was cancelled here: the call does not return */
    /* The call breaks the rules of its primitive: what is wrong, and the other place that makes it so. */
    const char *misuse;
    rd_place misuse_pc;
    rd_tid misuse_tid;
};

/*
 * What one kind of operation means. NULL slots: always enabled, one way, no effect. Those with `enabled` are those
 * with RD_F_BLOCKS.
 */
struct rd_model {
    bool (*enabled)(const struct rd_world *w, rd_tid tid, const struct rd_op *op);
    /* In how many ways it can happen now; more than one makes it a choice. Called when enabled. */
    uint32_t (*ways)(const struct rd_world *w, rd_tid tid, const struct rd_op *op);
    /* Called when enabled, with way < ways. */
    void (*perform)(struct rd_world *w, rd_tid tid, const struct rd_op *op, uint32_t way, struct rd_result *r);
    /* It gives up when its time comes. NULL: the call returns ETIMEDOUT and nothing has changed. */
    void (*time_out)(struct rd_world *w, rd_tid tid, const struct rd_op *op, struct rd_result *r);
    /* The mutex that it waits for, when not enabled; NULL: it waits for something else. */
    const struct rd_mutex *(*waits_for)(const struct rd_world *w, rd_tid tid, const struct rd_op *op);
};

extern const struct rd_model rd_models[RD_OP_KINDS];

/* The thread is another one, or over, or about to do something else. */
static inline void rd_world_regroup(struct rd_world *w, rd_tid tid) {
    const struct rd_thread *t = &w->threads[tid];
    struct rd_thread_group *g = &w->group[tid / 64];
    uint64_t bit = (uint64_t)1 << (tid % 64), there = t->state == RD_T_READY ? bit : 0;
    uint64_t asks = rd_op_flags(t->pending.kind) & RD_F_BLOCKS ? there : 0;
    g->free = (g->free & ~bit) | (there ^ asks);
    g->asks = (g->asks & ~bit) | asks;
}

void rd_world_init(struct rd_world *w, struct rd_arena *a, struct rd_thread_path *paths, uint32_t *path_count);
/* There are threads up to this number, in use or not. */
void rd_world_reach(struct rd_world *w, uint32_t count);
struct rd_object *rd_world_object(struct rd_world *w, uint64_t addr, enum rd_object_kind kind);
const struct rd_object *rd_world_find(const struct rd_world *w, uint64_t addr, enum rd_object_kind kind);
/* The same, of a thread that mostly has to do with the one that it had to do with before. */
static inline const struct rd_object *rd_world_find_near(const struct rd_world *w, rd_tid tid, uint64_t addr,
                                                         enum rd_object_kind kind) {
    const struct rd_object *o = w->threads[tid].object; /* none ever moves, or is freed */
    return RD_LIKELY(o && o->addr == addr && o->kind == kind) ? o : rd_world_find(w, addr, kind);
}
/* The same, to be found by the next one. */
static inline struct rd_object *rd_world_look_near(struct rd_world *w, rd_tid tid, uint64_t addr,
                                                   enum rd_object_kind kind) {
    struct rd_object *o = w->threads[tid].object;
    if (RD_LIKELY(o && o->addr == addr && o->kind == kind))
        return o;
    o = (struct rd_object *)(uintptr_t)rd_world_find(w, addr, kind);
    return o ? w->threads[tid].object = o : NULL;
}
static inline struct rd_object *rd_world_object_near(struct rd_world *w, rd_tid tid, uint64_t addr,
                                                     enum rd_object_kind kind) {
    struct rd_object *o = w->threads[tid].object;
    if (RD_LIKELY(o && o->addr == addr && o->kind == kind))
        return o;
    return w->threads[tid].object = rd_world_object(w, addr, kind);
}
/* Forgets what was at the address: it was initialised or destroyed. */
void rd_world_forget(struct rd_world *w, uint64_t addr);
/* This memory is freed or unmapped: a lock in it that is held, and that nobody waits for, is none any more. */
void rd_world_vanish(struct rd_world *w, uint64_t first, uint64_t size);
/* What was destroyed there, if it was of that kind and nothing has been put there since; else NULL. */
const struct rd_object *rd_world_destroyed(struct rd_world *w, uint64_t addr, enum rd_object_kind kind);
bool rd_world_is_destroyed(const struct rd_world *w, uint64_t addr, enum rd_object_kind kind);
/* See rd_model_uses_destroyed. */
bool rd_model_finds_destroyed(struct rd_world *w, const struct rd_op *op, struct rd_result *r);
/* Does the operation use an object that is destroyed? Then it is misuse. */
static inline bool rd_model_uses_destroyed(struct rd_world *w, const struct rd_op *op, struct rd_result *r) {
    return w->any_destroyed && rd_model_finds_destroyed(w, op, r);
}

/* The number of the parent's next child: the same in every execution. RD_TID_NONE: too many threads. */
rd_tid rd_thread_number(struct rd_world *w, rd_tid parent);
void rd_thread_finish(struct rd_world *w, rd_tid tid);
/* The next mutex, from 0 on, that it holds and that nobody will be able to unlock once it has ended, or NULL. */
const struct rd_object *rd_thread_holds(const struct rd_world *w, rd_tid tid, uint32_t *from);

/* Is it about to be cancelled at its pending operation? */
bool rd_model_cancelled(const struct rd_world *w, rd_tid tid);
/* The signal that is delivered to it when it goes on, or 0. */
static inline int rd_model_signal(const struct rd_world *w, rd_tid tid) {
    const struct rd_thread *t = &w->threads[tid];
    uint64_t due = (t->signals | w->signals) & ~t->signals_off;
    /* a wait for signals takes them itself */
    if (t->pending.kind == RD_OP_SIGNAL_WAIT)
        due &= ~t->pending.arg;
    return due ? __builtin_ctzll(due) : 0;
}
/* Takes that signal: r->signal. */
void rd_signal_deliver(struct rd_world *w, rd_tid tid, struct rd_result *r);
/* Takes one of the signals in this set that were sent to the thread or to the process; 0: there is none. */
int rd_signal_take(struct rd_world *w, rd_tid tid, uint64_t set);
/* Can its pending operation complete? */
bool rd_model_ready(const struct rd_world *w, rd_tid tid);
/* Of one whose pending operation cannot complete: can it go on all the same? */
bool rd_model_otherwise(const struct rd_world *w, rd_tid tid);
/*
 * Can the pending operation of one that is there complete? What is asked most, at every step, is asked without a
 * call: whether a lock is free, and whether a thread has ended. Where that is not all, the model is asked.
 */
static inline bool rd_model_completes(const struct rd_world *w, rd_tid tid) {
    const struct rd_thread *t = &w->threads[tid];
    const struct rd_op *op = &t->pending;
    const struct rd_object *o = t->object;
    if (op->kind == RD_OP_MUTEX_LOCK && o && o->addr == op->addr && o->kind == RD_OBJ_MUTEX) {
        if (o->mutex.owner == RD_TID_NONE)
            return true;
        if (o->mutex.owner != tid && !(op->arg & RD_MUTEX_ROBUST))
            return false;
    }
    if (op->kind == RD_OP_JOIN && op->arg < w->count && op->arg != tid) {
        const struct rd_thread *other = &w->threads[op->arg];
        if (other->state == RD_T_READY && !other->detached && !other->joined && other->pending.kind != RD_OP_JOIN)
            return false;
    }
    const struct rd_model *m = &rd_models[op->kind];
    return !m->enabled || m->enabled(w, tid, op);
}
/* … or can it give up, while the thread's allowance lasts, or because its time has come? */
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
/* Of one that is enabled: can it only give up? */
static inline bool rd_model_only_times_out(const struct rd_world *w, rd_tid tid) {
    return w->timed && w->threads[tid].pending.deadline && !rd_model_ready(w, tid);
}
/* Is its pending operation one that waits for descriptors? */
bool rd_io_waits(const struct rd_world *w, rd_tid tid);
/* See rd_io_outside. */
bool rd_io_ask_outside(struct rd_world *w);
/* Nobody can go on but by giving up: the world outside may help one who waits for descriptors. True: it has. */
static inline bool rd_io_outside(struct rd_world *w) { return w->io_outside && rd_io_ask_outside(w); }
/* Could it give up, if nothing else happened? */
bool rd_model_may_time_out(const struct rd_world *w, rd_tid tid);

/* Reads the clock. Each reading moves it on; a thread that keeps reading it without sleeping sees it run ever
 * faster. */
uint64_t rd_clock_read(struct rd_world *w, rd_tid tid);
void rd_clock_sleep(struct rd_world *w, uint64_t ns);
void rd_clock_moved(struct rd_world *w); /* a timer may be due */

/* perform functions and friends of the primitives, for table.c */
#define RD_MODEL_ENABLED(name) bool name(const struct rd_world *w, rd_tid tid, const struct rd_op *op)
#define RD_MODEL_WAYS(name) uint32_t name(const struct rd_world *w, rd_tid tid, const struct rd_op *op)
#define RD_MODEL_PERFORM(name) \
    void name(struct rd_world *w, rd_tid tid, const struct rd_op *op, uint32_t way, struct rd_result *r)
#define RD_MODEL_TIME_OUT(name) \
    void name(struct rd_world *w, rd_tid tid, const struct rd_op *op, struct rd_result *r)
#define RD_MODEL_HOLDER(name) \
    const struct rd_mutex *name(const struct rd_world *w, rd_tid tid, const struct rd_op *op)

RD_MODEL_ENABLED(rd_thread_join_enabled);
RD_MODEL_PERFORM(rd_thread_create);
RD_MODEL_PERFORM(rd_thread_join);
RD_MODEL_PERFORM(rd_thread_detach);
RD_MODEL_PERFORM(rd_clock_sleep_op);
RD_MODEL_PERFORM(rd_clock_yield);
RD_MODEL_ENABLED(rd_mutex_lock_enabled);
RD_MODEL_PERFORM(rd_mutex_lock);
RD_MODEL_PERFORM(rd_mutex_trylock);
RD_MODEL_PERFORM(rd_mutex_unlock);
RD_MODEL_PERFORM(rd_mutex_reset);
RD_MODEL_HOLDER(rd_mutex_holder);
RD_MODEL_WAYS(rd_cond_wait_ways);
RD_MODEL_PERFORM(rd_cond_wait);
RD_MODEL_ENABLED(rd_cond_wake_enabled);
RD_MODEL_WAYS(rd_cond_wake_ways);
RD_MODEL_PERFORM(rd_cond_wake);
RD_MODEL_WAYS(rd_cond_signal_ways);
RD_MODEL_PERFORM(rd_cond_signal);
RD_MODEL_PERFORM(rd_cond_broadcast);
RD_MODEL_HOLDER(rd_cond_holder);
RD_MODEL_TIME_OUT(rd_cond_time_out);
RD_MODEL_PERFORM(rd_thread_tryjoin);
RD_MODEL_PERFORM(rd_thread_cancel);
RD_MODEL_PERFORM(rd_signal_send);
RD_MODEL_ENABLED(rd_signal_wait_enabled);
RD_MODEL_PERFORM(rd_signal_wait);
RD_MODEL_ENABLED(rd_signal_never);
RD_MODEL_PERFORM(rd_signal_mask);
RD_MODEL_PERFORM(rd_mutex_consistent);
RD_MODEL_PERFORM(rd_object_reset);
RD_MODEL_ENABLED(rd_rwlock_rdlock_enabled);
RD_MODEL_PERFORM(rd_rwlock_rdlock);
RD_MODEL_PERFORM(rd_rwlock_tryrdlock);
RD_MODEL_PERFORM(rd_rwlock_queue);
RD_MODEL_ENABLED(rd_rwlock_wrlock_enabled);
RD_MODEL_PERFORM(rd_rwlock_wrlock);
RD_MODEL_PERFORM(rd_rwlock_trywrlock);
RD_MODEL_PERFORM(rd_rwlock_unlock);
RD_MODEL_TIME_OUT(rd_rwlock_wrlock_time_out);
RD_MODEL_HOLDER(rd_rwlock_holder);
RD_MODEL_ENABLED(rd_sem_wait_enabled);
RD_MODEL_PERFORM(rd_sem_wait);
RD_MODEL_PERFORM(rd_sem_trywait);
RD_MODEL_PERFORM(rd_sem_post);
RD_MODEL_PERFORM(rd_sem_value);
RD_MODEL_PERFORM(rd_barrier_arrive);
RD_MODEL_ENABLED(rd_barrier_leave_enabled);
RD_MODEL_ENABLED(rd_once_begin_enabled);
RD_MODEL_PERFORM(rd_once_begin);
RD_MODEL_PERFORM(rd_once_end);
RD_MODEL_HOLDER(rd_once_holder);

/*
 * Futexes. The argument of wait: expected value, bitset above; of wake: how many, bitset above; of requeue:
 * expected value, how many to wake, how many to move.
 */
#define RD_FUTEX_ANY 0xffffffffu
#define RD_FUTEX_ARG(low, bitset) ((uint64_t)(uint32_t)(low) | (uint64_t)(bitset) << 32)
#define RD_FUTEX_REQUEUE_ARG(expected, wakes, moves) \
    RD_FUTEX_ARG(expected, RD_MIN((uint32_t)(wakes), 0xffffu) | RD_MIN((uint32_t)(moves), 0xffffu) << 16)
#define RD_FUTEX_WAKES(arg) ((uint32_t)((arg) >> 32) & 0xffff)
#define RD_FUTEX_MOVES(arg) ((uint32_t)((arg) >> 48))
RD_MODEL_WAYS(rd_futex_wait_ways);
RD_MODEL_PERFORM(rd_futex_wait);
RD_MODEL_ENABLED(rd_futex_woken_enabled);
RD_MODEL_PERFORM(rd_futex_woken);
RD_MODEL_TIME_OUT(rd_futex_time_out);
RD_MODEL_PERFORM(rd_futex_leave);
RD_MODEL_WAYS(rd_futex_wake_ways);
RD_MODEL_PERFORM(rd_futex_wake);
RD_MODEL_WAYS(rd_futex_wake_op_ways);
RD_MODEL_PERFORM(rd_futex_wake_op);
RD_MODEL_WAYS(rd_futex_requeue_ways);
RD_MODEL_PERFORM(rd_futex_requeue);
RD_MODEL_ENABLED(rd_io_enabled);
RD_MODEL_ENABLED(rd_await_enabled);
RD_MODEL_WAYS(rd_choose_ways);
RD_MODEL_ENABLED(rd_team_enabled);
RD_MODEL_WAYS(rd_team_ways);
RD_MODEL_PERFORM(rd_choose);

#endif
