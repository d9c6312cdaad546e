/*
 * event.h - events, and the relation of dependence between them. An event is a step, or a pending operation, as the
 * set of objects and memory that it touches, and how it touches them.
 *
 * Two events are *dependent* if their order can matter: if they are neighbours, swapping them could change the
 * effect of one of them, or whether one of them is enabled. The happens-before class, partial-order reduction and
 * sleep sets all use this one relation. The relation may call two events dependent although they commute (that
 * costs executions); it must never call two events independent that do not commute.
 *
 * Events touch objects in three ways:
 *   WRITE   conflicts with every other touch of the object
 *   READ    does not conflict with other READs: a read lock, the release of a read lock
 *   ADD     does not conflict with other ADDs: a post of a semaphore
 * An operation on an object in the heap also reads the object's memory, and a free writes the memory of its block.
 * This makes the two dependent.
 *
 * A *gate* is one release of waiters by an object: the last arrival of a generation of a barrier, or a wake-up of a
 * futex. Gates are numbered object by object (rd_result.gate), and a gate is a thing of its own: the event that
 * opens it WRITEs it, and the operation by which a released thread goes on READs the gate in place of the object.
 * So that operation depends on the release, and on no other operation on the object. As long as the thread is not
 * released, the operation touches the object: a signal or a cancellation can end the wait.
 *
 * A *wide* event depends on every event: exit, a signal to the whole process, an operation whose effects are not
 * known as objects.
 *
 * A timed wait that may time out at any time (rd_thread.gave_up) is always enabled. Whether it completes follows
 * from its object, so it touches the object. It also touches the clock, because a time-out moves the clock at least
 * to the deadline. Such moves commute with each other (READ); sleeps and yields add to the clock (ADD) and do not
 * commute with them. A timed wait that may time out only when its deadline has come, or when no other thread is
 * enabled, is wide.
 *
 * A call of a function that is not instrumented touches the extents that its row in the table of calls names
 * (rt/call/call.h). A call of an unknown function is wide.
 *
 * The things that an operation touches follow from the pending operation alone, never from its result. Otherwise
 * they could change with the order of independent events, and the classes would not be equivalence classes.
 */
#ifndef RD_TRACE_EVENT_H
#define RD_TRACE_EVENT_H

#include "trace/extents.h"
#include "trace/types.h"

enum rd_touch { RD_TOUCH_NONE, RD_TOUCH_WRITE, RD_TOUCH_READ, RD_TOUCH_ADD, RD_TOUCHES };

enum { RD_EVENT_OBJECTS = 2 };

struct rd_event {
    uint64_t first, last;              /* first and last byte of memory; valid unless `access` is NONE */
    uint64_t object[RD_EVENT_OBJECTS]; /* 0: none */
    uint8_t touch[RD_EVENT_OBJECTS];   /* enum rd_touch */
    uint8_t access;                    /* RD_TOUCH_NONE, _READ or _WRITE */
    uint8_t clock;                     /* RD_TOUCH_READ: it has a deadline; _ADD: time passes; _NONE */
    uint8_t op;
    bool wide;
    rd_tid tid;
    rd_tid target; /* the thread that is created, joined, cancelled …; RD_TID_NONE: none */
    rd_place place;
    const struct rd_extents *more; /* extents that it touches as well; NULL: none */
};

/*
 * Returns the event of a pending operation of thread tid, or of one that has just happened: `other` is the thread
 * that it created, or RD_TID_NONE. Memory and objects are named by address.
 */
struct rd_event rd_event_of_op(rd_tid tid, const struct rd_op *op, rd_tid other);
void rd_event_set_op(struct rd_event *e, rd_tid tid, const struct rd_op *op, rd_tid other);
/* These name memory and objects by place, which makes pending operations and steps comparable. */
struct rd_event rd_event_of_pending(rd_tid tid, const struct rd_op *op);
struct rd_event rd_event_of_step(const struct rd_step *s);
void rd_event_set_step(struct rd_event *e, const struct rd_step *s);

/*
 * Makes the event touch the gate with this number of its first object: an event that opens the gate WRITEs it
 * besides the object, one by which a released thread goes on READs it in place of the object. 0: no gate.
 */
void rd_event_set_gate(struct rd_event *e, uint64_t gate);
/*
 * Returns the name of the gate that a step opens, or through which its thread goes on; the place of the object if
 * the step has no gate. Searches find the clocks of the released threads by this name.
 */
rd_place rd_event_gate(const struct rd_step *s);
/* Returns the value of a step that wakes `woken` waiters of a futex by opening this gate. */
static inline uint64_t rd_futex_value(uint64_t woken, uint32_t gate) {
    return (uint32_t)woken | (uint64_t)gate << 32;
}
static inline uint32_t rd_futex_count(uint64_t value) { return (uint32_t)value; }

/*
 * Removes the touches of mutexes from the event: two critical sections on different data are then independent. The
 * classes by this relation are the lazy happens-before classes (Thomson and Donaldson, PPoPP 2015): all executions
 * of one lazy class end in the same state.
 */
void rd_event_forget_mutexes(struct rd_event *e);

/*
 * Writes to `used` the objects whose memory the operation needs, 0 for none. An operation that only ends a wait
 * does not need its object: the thread that released the waiter may have freed the condition or the barrier since.
 */
void rd_event_used(unsigned op, uint64_t object, uint64_t second, uint64_t used[RD_EVENT_OBJECTS]);

/* Returns how the operation touches its first object (enum rd_touch). pre: it is no access to memory */
uint8_t rd_event_touch(const struct rd_op *op);

/* Returns whether exactly the same events depend on both. */
bool rd_event_touches_same(const struct rd_event *a, const struct rd_event *b);
/* Returns whether two touches of one thing conflict. */
static inline bool rd_touch_conflict(unsigned a, unsigned b) {
    if (a == RD_TOUCH_NONE || b == RD_TOUCH_NONE)
        return false;
    return a == RD_TOUCH_WRITE || b == RD_TOUCH_WRITE || a != b;
}
/* Returns whether an extent of one event conflicts with a touch or an extent of the other. */
bool rd_event_extents_meet(const struct rd_event *a, const struct rd_event *b);
/* The relation of dependence. No other function is called as often: it is inline, the frequent cases come first. */
static inline bool rd_event_dependent(const struct rd_event *a, const struct rd_event *b) {
    if (a->tid == b->tid || a->wide || b->wide)
        return true;
    if (rd_touch_conflict(a->access, b->access) && a->first <= b->last && b->first <= a->last)
        return true;
    if (RD_UNLIKELY(a->clock && b->clock && a->clock != b->clock)) /* no event WRITEs the clock */
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
 * A sign is a Bloom filter of the things and threads that events touch: two dependent events have a bit in common,
 * most independent ones have not. The sign of several events is the union of their signs.
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
/* Returns whether operations of this kind can be blocked. */
static inline bool rd_event_blocks(unsigned op) { return rd_op_flags(op) & RD_F_BLOCKS; }

#endif
