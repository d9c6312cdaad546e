/*
 * spin.h - loops that wait. A thread that comes back to the same operation in the same local state, without having
 * changed memory in between, will repeat this iteration for ever, unless another thread writes to memory that it
 * has read. So the engine makes it wait for that, by an operation of its own (AWAIT). Loops that spin are explored
 * like locks, one iteration at first and one more after each change, and no behaviour is lost by it.
 *
 * The local state is a hash of registers and stack that comes with each operation; 0 means that it is not known,
 * and then no loop is recognised. The engine keeps the reads of each thread since the thread last changed memory,
 * up to a limit: longer iterations are not recognised. An atomic read-modify-write that leaves the value as it was,
 * and a failed trylock, change nothing; writes to the thread's own stack are part of its local state.
 *
 * A store of the value that the memory already has changes nothing either (`while (cached != want) cached =
 * atomic_load(&index);` stores the same index again and again). Such a *silent store* is kept with the reads,
 * because its effect depends on the value there: if another thread writes to that place, the next iteration would
 * overwrite that value, so the thread makes another iteration. Otherwise the iteration leads from a state of the
 * whole program to the same state, of memory and of this thread, and all that could follow the iteration could have
 * come instead of it. That also holds if another thread writes in the middle of an iteration: the loop makes its
 * first iteration without being held back, so the search has explored every place in it at which the other thread
 * can write. A silent store does not wake threads that wait for a change of its place. Whether a store is silent is
 * known only after it has happened, at the thread's next operation; no other thread runs before that.
 *
 * A lock (without a deadline, and not by trylock) that is taken and given back with only reads in between changes
 * nothing either: a loop that polls under a lock waits, too, but only at an operation at which it holds no lock
 * that it gives back within the iteration. No other thread can notice how many iterations there were, except by an
 * operation that fails because the lock is held: after such a failure the loop may make one more iteration. So the
 * loop waits for a change of the memory that it has read, or for such a failure.
 *
 * When no other thread can go on, each waiting loop may make some more iterations, in case a change was not seen.
 * If that does not help, the threads wait for ever: a livelock.
 */
#ifndef RD_ENGINE_SPIN_H
#define RD_ENGINE_SPIN_H

#include "base/arena.h"
#include "trace/types.h"

enum { RD_SPIN_READS = 64, RD_SPIN_HELD = 4 };

/* The effect of a step, as far as the model knows: a change of memory or an object, none, a lock taken, given back.
 */
enum rd_spin_effect { RD_SPIN_CHANGES, RD_SPIN_NOTHING, RD_SPIN_TAKES, RD_SPIN_GIVES };

/* An operation of a thread since it last changed memory: a read, a silent store, a lock that it took. */
struct rd_spin_read {
    rd_place first, last, pc;
    uint64_t local, addr;
    uint8_t kind;
    uint8_t touch; /* how it touches its object (enum rd_touch) */
    bool own;      /* a write of the thread to its own stack */
    bool lock;     /* it took a lock; `touched` is set by operations that fail because the lock is held */
    bool touched;  /* another thread has written there since */
};

/* A lock that the thread took and holds: the index of that operation in rd_spin_thread.at, + 1; 0: it was
 * forgotten. */
struct rd_spin_hold {
    uint64_t addr;
    uint32_t at;
};

struct rd_spin_thread {
    uint32_t count, held; /* lengths of `at` and `hold` */
    uint32_t loop_start;  /* while it waits: index in `at` at which the iteration begins */
    uint32_t forced;      /* iterations that rd_spin_force() has allowed while rd_spin.changes was … */
    uint32_t forced_at;   /* … this number */
    bool waits;           /* its pending operation is AWAIT */
    bool let_through;     /* … and it may go on although no change was seen */
    bool after_await;     /* its last operation was AWAIT: it announces the operation in front of which it waited */
    bool checked;         /* since it last changed memory it has made silent accesses that were checked for races */
    bool undecided;       /* its last operation was a read-modify-write or a store that may be silent */
    uint64_t seen[4];     /* a bit for each local state in `at`, so that most local states need no search */
    struct rd_spin_read *at;
    uint32_t
        room; /* of `at`; it grows when it must, so that the memory that an execution writes lies close together */
    struct rd_spin_hold hold[RD_SPIN_HELD]; /* written before it is read */
    struct rd_op undecided_op;              /* the operation that is undecided */
};

/* Which of 64 threads have read in a line of memory: a bit for each thread, in an entry by a hash of the line. */
enum { RD_SPIN_LINES = 128 };
struct rd_spin_readers {
    uint64_t line[RD_SPIN_LINES];
    uint64_t anywhere; /* threads that have read a range of many lines at once, which counts for every line */
};

struct rd_spin {
    struct rd_arena *arena;
    struct {
        RD_VEC(struct rd_spin_thread *);
    } thread; /* by number; NULL: it has made no step yet */
    struct {
        RD_VEC(struct rd_spin_readers *);
    } readers;        /* of 64 threads each; empty while there are few threads: then all their reads are compared */
    uint32_t changes; /* number of changes by all threads */
    bool polls;       /* a thread has come back to an operation, and does not wait because of such accesses */
};

void rd_spin_init(struct rd_spin *s, struct rd_arena *a);
/*
 * The engine calls the next two, and ready, news, force and over. The runtime knows more about stores than an
 * operation says, and calls the others (rt/access/silent_store.h).
 *
 * The thread announces an operation. Returns whether it has to wait first; then it announces `await` instead, and
 * the operation itself after that.
 */
bool rd_spin_arrives(struct rd_spin *s, rd_tid tid, const struct rd_op *op, struct rd_op *await);
/*
 * The thread has read memory by a silent access that was checked for races (trace/sharing.h). The read can have
 * another value in another schedule, and it is no operation whose change could wake the thread: so a loop with such
 * a read does not wait, and rd_spin.polls says that there is one.
 */
void rd_spin_checked(struct rd_spin *s, rd_tid tid);
/* rd_spin_arrives has returned true, but the thread goes on: it did so in the execution that is repeated. */
void rd_spin_goes_on(struct rd_spin *s, rd_tid tid);
/* The thread has performed an operation, with this effect. */
void rd_spin_step(struct rd_spin *s, rd_tid tid, const struct rd_op *op, enum rd_spin_effect effect);
/*
 * The read-modify-write or store that was the thread's last step has changed nothing. Without this call before the
 * thread's next operation it counts as a change.
 */
void rd_spin_unchanged(struct rd_spin *s, rd_tid tid);
/* Returns the place of the thread's last step if it is a store to this address that may be silent; else 0. */
rd_place rd_spin_stored(const struct rd_spin *s, rd_tid tid, uint64_t addr);
/* The thread has ended: it makes no operation at which a silent store could be reported. */
void rd_spin_over(struct rd_spin *s, rd_tid tid);
/*
 * The thread has read a value that is in no operation (a clock), or a handler of a signal runs on it: its next
 * iteration may differ from the last one.
 */
void rd_spin_forget(struct rd_spin *s, rd_tid tid);
/* Returns whether reads of the thread are kept. */
static inline bool rd_spin_reads(const struct rd_spin *s, rd_tid tid) {
    return tid < s->thread.count && s->thread.at[tid] && s->thread.at[tid]->count;
}
/* The thread has changed memory that no other thread uses, without an operation: its reads so far are forgotten. */
void rd_spin_own(struct rd_spin *s, rd_tid tid);
/* Returns whether a thread whose pending operation is AWAIT may go on. */
bool rd_spin_ready(const struct rd_spin *s, rd_tid tid);
/*
 * Returns whether it may go on because another thread has written to memory that it has read. A failure of another
 * thread at a lock that its loop takes does not count: that thread may itself wait only for the lock, and the two
 * could keep each other going for ever.
 */
bool rd_spin_news(const struct rd_spin *s, rd_tid tid);
/* No thread can go on: lets a waiting one make another iteration. False: no thread waits, or it has not helped. */
bool rd_spin_force(struct rd_spin *s);

#endif
