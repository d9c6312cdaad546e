/*
 * event.h - what a step means for the steps of other threads: which objects and which memory it touches, and how.
 *
 * Two events are *dependent* when their order can matter: swapping them, when they are neighbours, could change
 * what one of them does or whether it can happen at all. Everything that reasons about orders (the happens-before
 * class, partial-order reduction, sleep sets) asks here, so there is one relation and not several that are meant to
 * agree. It may call dependent what commutes (that costs executions), never the other way round.
 *
 * How an event touches an object:
 *   WRITE   its order with everything else matters
 *   READ    not with other reads: a read lock, the release of one
 *   ADD     not with other additions: a post of a semaphore
 * To free a block writes its memory, and whoever uses an object reads where it is: that is how the two depend on
 * each other.
 * Who has waited and was let go depends on what let it go, and on nothing else that is done to the object: leaving
 * a barrier on the last arrival of that round, the end of a futex wait on the wake-up. Those are numbered, object
 * by object (rd_result.gate), and touched as things of their own. A *wide* event depends on everything: exit, a
 * signal to the whole process, an operation whose effects are not known as objects.
 *
 * A wait with a time limit that may give up at any time (rd_thread.gave_up) can always go on: whether it completes
 * follows from its object, so it touches that, and the clock, which it moves to its deadline at least. Such moves
 * commute with each other; not with sleeps and yields, which add to the clock. One that may give up only when its
 * time has come, or when nobody else can go on, is wide.
 *
 * A call of a function that is not instrumented touches whatever its row in the table of calls says
 * (rt/call/call.h): a list of extents. One of which nothing is known is wide.
 *
 * What an operation depends on must not change with the order of others, or classes of schedules would not be
 * classes: it follows from what the thread is about to do, never from how that came out.
 */
#ifndef RD_TRACE_EVENT_H
#define RD_TRACE_EVENT_H

#include "trace/extents.h"
#include "trace/types.h"

enum rd_touch { RD_TOUCH_NONE, RD_TOUCH_WRITE, RD_TOUCH_READ, RD_TOUCH_ADD, RD_TOUCHES };

enum { RD_EVENT_OBJECTS = 2 };

struct rd_event {
    uint64_t first, last;              /* memory; access tells whether there is any */
    uint64_t object[RD_EVENT_OBJECTS]; /* 0: none */
    uint8_t touch[RD_EVENT_OBJECTS];   /* enum rd_touch */
    uint8_t access;                    /* RD_TOUCH_NONE, _READ or _WRITE */
    uint8_t clock;                     /* RD_TOUCH_READ: it has a deadline; _ADD: time passes; _NONE */
    uint8_t op;
    bool wide;
    rd_tid tid;
    rd_tid target; /* the thread that it is about: create, join, cancel …; RD_TID_NONE: none */
    rd_place place;
    const struct rd_extents *more; /* what it touches besides that; NULL: nothing */
};

/*
 * Of a pending operation of thread tid, or of one that has just happened: `other` is the thread that it created, or
 * RD_TID_NONE. Memory and objects by their address.
 */
struct rd_event rd_event_of_op(rd_tid tid, const struct rd_op *op, rd_tid other);
void rd_event_set_op(struct rd_event *e, rd_tid tid, const struct rd_op *op, rd_tid other);
/* The same with everything by its place: to compare operations with steps. */
struct rd_event rd_event_of_pending(rd_tid tid, const struct rd_op *op);
struct rd_event rd_event_of_step(const struct rd_step *s);
void rd_event_set_step(struct rd_event *e, const struct rd_step *s);

/* What the event lets go is the object's turn of this number; 0: nothing. Steps and those let go have it. */
void rd_event_set_gate(struct rd_event *e, uint64_t gate);
/*
 * The name of what a step lets go, or was let go by: the object itself, where that is not told apart. By it the
 * clocks of who waited are found.
 */
rd_place rd_event_gate(const struct rd_step *s);
/* The value of a step that wakes some waiters of a futex: how many, and its turn. */
static inline uint64_t rd_futex_value(uint64_t woken, uint32_t gate) {
    return(uint32_t) woken | (uint64_t)gate << 32;
}
static inline uint32_t rd_futex_count(uint64_t value) { return (uint32_t)value; }

/*
 * The event without what it does to mutexes: of two critical sections on different data the order does not matter.
 * The classes by that are the lazy ones (Thomson and Donaldson, PPoPP 2015): executions of one end in the same
 * state.
 */
void rd_event_forget_mutexes(struct rd_event *e);

/*
 * Where the memory of its synchronisation objects has to be: 0 where it need not. Not of what only ends a wait: who
 * let the thread go on may have done away with the condition or the barrier since.
 */
void rd_event_used(unsigned op, uint64_t object, uint64_t second, uint64_t used[RD_EVENT_OBJECTS]);

/* Do the same events depend on both? */
bool rd_event_touches_same(const struct rd_event *a, const struct rd_event *b);
static inline bool rd_touch_conflict(unsigned a, unsigned b) {
    if (a == RD_TOUCH_NONE || b == RD_TOUCH_NONE)
        return false;
    return a == RD_TOUCH_WRITE || b == RD_TOUCH_WRITE || a != b;
}
/* Does one of them touch something that is in the other one's extents, so that the order matters? */
bool rd_event_extents_meet(const struct rd_event *a, const struct rd_event *b);
/* Asked more often than anything else. */
static inline bool rd_event_dependent(const struct rd_event *a, const struct rd_event *b) {
    if (a->tid == b->tid || a->wide || b->wide)
        return true;
    if (rd_touch_conflict(a->access, b->access) && a->first <= b->last && b->first <= a->last)
        return true;
    if (RD_UNLIKELY(a->clock && b->clock && a->clock != b->clock)) /* nobody writes it */
        return true;
    if (a->target != RD_TID_NONE && (a->target == b->tid || a->target == b->target))
        return true;
    if (b->target != RD_TID_NONE && b->target == a->tid)
        return true;
    for (unsigned i = 0; i < RD_EVENT_OBJECTS; i++)
        for (unsigned k = 0; a->touch[i] && k < RD_EVENT_OBJECTS; k++)
            if (a->object[i] == b->object[k] && rd_touch_conflict(a->touch[i], b->touch[k]))
                return true;
    return RD_UNLIKELY(a->more || b->more) && rd_event_extents_meet(a, b);
}
/*
 * Something of what an event touches, in few bits: dependent events have some in common, and most others have not.
 * Signs of several are added up bit by bit.
 */
struct rd_event_sign {
    uint64_t things, threads;
};
struct rd_event_sign rd_event_sign(const struct rd_event *e);
static inline void rd_event_sign_add(struct rd_event_sign *to, const struct rd_event_sign *s) {
    to->things |= s->things;
    to->threads |= s->threads;
}
static inline bool rd_event_sign_meets(const struct rd_event_sign *a, const struct rd_event_sign *b) {
    return a->things & b->things || a->threads & b->threads;
}
/* Can an operation of this kind be unable to go on? */
static inline bool rd_event_blocks(unsigned op) { return rd_op_flags(op) & RD_F_BLOCKS; }

#endif
