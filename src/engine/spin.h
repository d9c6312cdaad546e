/*
 * spin.h - loops that wait: a thread that comes back to where it was, in the same local state, without having
 * changed anything in between, will go round in the same way for ever, unless somebody writes what it has read. So
 * it is made to wait for that, by an operation of its own (AWAIT): loops that spin are explored like locks, once
 * round and then when there is something new, and nothing is lost by it.
 *
 * The local state is a hash of registers and stack that comes with each operation; 0 means that it is not known,
 * and then nothing is said about loops. What a thread has read since it last changed something is kept here, up to
 * a limit: longer ways round are not recognised. An atomic read-modify-write that leaves the value as it was, and a
 * failed trylock, change nothing; writes to the thread's own stack are part of its local state.
 *
 * Nor does a store of what is there already change anything (`while (cached != want) cached = atomic_load(&index);`
 * stores the same index again and again). It is kept with what was read, because what it does depends on what is
 * there: if another thread writes to that place, the next round would overwrite that, so the thread goes round
 * again. Otherwise the round leads from a state of the whole program to the same state, of memory and of this
 * thread, and whatever could follow it could have come instead of it. That holds also if another thread writes in
 * the middle of a round: the first time round nobody was held back, so that order was explored. Who waits for that
 * place is not woken: there is nothing new to see. Whether a store changes anything is known only once it has
 * happened, at the thread's next operation; nobody else runs before that.
 *
 * A lock that is taken and given back with nothing but reads in between changes nothing either: a loop that polls
 * under a lock waits, too, but only where it holds no lock that it gives back on its way round. Nobody else can
 * tell how often it went round, except by an operation that fails because the lock is held: after one of those it
 * may go round once more. So what is waited for is what was read, and such a failure.
 *
 * When nobody else can go on, the waiting threads are let round some more times, in case something changed that was
 * not seen. When that does not help they wait for ever: a livelock.
 */
#ifndef RD_ENGINE_SPIN_H
#define RD_ENGINE_SPIN_H

#include "base/arena.h"
#include "trace/types.h"

enum { RD_SPIN_READS = 64, RD_SPIN_HELD = 4 };

/* What a step did, as far as the model knows. */
enum rd_spin_effect { RD_SPIN_CHANGES, RD_SPIN_NOTHING, RD_SPIN_TAKES, RD_SPIN_GIVES };

struct rd_spin_read {
    rd_place first, last, pc;
    uint64_t local, addr;
    uint8_t kind;
    bool own;     /* written by the thread itself on its way round */
    bool lock;    /* taken there: touched by what fails because of it */
    bool touched; /* somebody has written there since */
};

/* A lock that was taken on the way: where it is in `at`, + 1; 0: that was forgotten. */
struct rd_spin_hold {
    uint64_t addr;
    uint32_t at;
};

struct rd_spin_thread {
    uint32_t count, held;
    uint32_t from;              /* while it waits: where the way round begins */
    uint32_t forced, forced_at; /* how often it was let round for nothing since there were so many changes */
    bool waits;                 /* its pending operation is to wait */
    bool let_round;             /* … and it may go on although nothing was seen to change */
    bool passed;                /* it has waited: the next operation is the one that it was about to do */
    bool maybe;       /* its last operation was a read-modify-write or a store; what it changed is not known yet */
    uint64_t seen[4]; /* a bit for each local state in `at`, so that what was not there need not be looked for */
    struct rd_spin_read *at;
    uint32_t room; /* for so many: as many as were needed, so that what an execution writes lies close together */
    struct rd_spin_hold hold[RD_SPIN_HELD]; /* written before it is read */
    struct rd_op last;                      /* of `maybe`: that one */
};

/* A bit for each of 64 threads that has read in one of so many lines of memory, by a hash of the line. */
enum { RD_SPIN_LINES = 128 };
struct rd_spin_readers {
    uint64_t line[RD_SPIN_LINES];
    uint64_t anywhere; /* have read more lines at once than are worth to be marked */
};

struct rd_spin {
    struct rd_arena *arena;
    struct {
        RD_VEC(struct rd_spin_thread *);
    } thread; /* by number; NULL: it has done nothing yet */
    struct {
        RD_VEC(struct rd_spin_readers *);
    } readers;        /* of 64 threads each; none: there are few threads, and all are looked at */
    uint32_t changes; /* made by all threads */
};

void rd_spin_init(struct rd_spin *s, struct rd_arena *a);
/* The thread is about to do this. True: it has to wait first, and `await` is what it is about to do instead. */
bool rd_spin_arrives(struct rd_spin *s, rd_tid tid, const struct rd_op *op, struct rd_op *await);
/* It has done it. */
void rd_spin_step(struct rd_spin *s, rd_tid tid, const struct rd_op *op, enum rd_spin_effect effect);
/* The read-modify-write or store that was the thread's last step left everything as it was. */
void rd_spin_unchanged(struct rd_spin *s, rd_tid tid);
/* Is the thread's last step a store to this address, and not known to have changed anything? Where; 0: it is not.
 */
rd_place rd_spin_stored(const struct rd_spin *s, rd_tid tid, uint64_t addr);
/* The thread is over: there is no next operation that would tell. */
void rd_spin_over(struct rd_spin *s, rd_tid tid);
/* The thread has learned something that is in no operation (what time it is): it does not go round in circles. */
void rd_spin_forget(struct rd_spin *s, rd_tid tid);
/* Is anything kept of what the thread has read? */
static inline bool rd_spin_reads(const struct rd_spin *s, rd_tid tid) {
    return tid < s->thread.count && s->thread.at[tid] && s->thread.at[tid]->count;
}
/* The thread has changed memory that no other thread uses, which is in no operation. */
void rd_spin_own(struct rd_spin *s, rd_tid tid);
/* May one that waits go on? */
bool rd_spin_ready(const struct rd_spin *s, rd_tid tid);
/*
 * Can it, because what it has read was written? That a lock was noticed, which it takes on its way, is not enough:
 * the one who noticed may wait for nothing else than that lock, and the two could keep each other going for ever.
 */
bool rd_spin_news(const struct rd_spin *s, rd_tid tid);
/* Nobody can go on: lets one that waits go round once more. False: nobody waits, or it has not helped. */
bool rd_spin_force(struct rd_spin *s);

#endif
