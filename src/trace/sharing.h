/*
 * sharing.h - which memory threads share. A plain access is a point only if several threads use its memory and at
 * least one of them writes it. Memory that one thread alone uses (its stack, blocks of the heap that it keeps to
 * itself) and memory that no thread writes concern no other thread.
 *
 * The table has a cell of one byte for each *granule*, 8 bytes of memory. The cell says which threads have used the
 * granule in any execution so far:
 *
 *     unused -> read by one thread -> read by several threads, written by none
 *          \          |                        |
 *           -> written by one thread ----------+----> shared, from a version on
 *                     |                        |
 *                      -> handed over ---------+
 *
 * *Handed over* is memory that a thread and its creator use, the creator only before it creates the thread and
 * after it has joined it: memory that the creator initialises for the new thread, and results that the thread
 * leaves behind. The cell holds one owner, so when the second of the two threads first uses the granule, the table
 * cannot tell whether the creator's earlier accesses kept to this rule. Therefore the search begins again when a
 * granule is handed over, and from then on every access of the creator is checked against the rule.
 *
 * A cell only ever moves to the right in the diagram. All processes of a search have the same table, and it
 * outlives executions. An execution has a *version*: its points are the accesses to granules that became shared up
 * to that version. Granules that become shared while it runs get a later version. So the points of an execution
 * follow from its version alone, and a schedule that names the shared granules of its version can be repeated.
 *
 * Claim: if a search is complete at the points of one version, and no granule became shared or handed over in any
 * of its executions, then every execution with all accesses as points is equivalent to an execution of the search.
 *
 * Proof. Suppose that E is an execution with all accesses as points that is equivalent to no execution of the
 * search. Call an access of E to a granule that is not shared in this version *silent*. There are two cases.
 *
 * (1) No silent access of E moves the cell of its granule to shared or to handed over. Then each granule of a
 * silent access is used by one thread only, or only read, or handed over and its two threads keep to the rule. Move
 * every silent access backwards, to right behind the last operation of its thread before it that is not silent. In
 * the first two of these cases the access depends on no event of another thread, so the execution remains
 * equivalent. In the third case the other thread's accesses to the granule are separated from it by the creation or
 * the join. Creation and join are operations of the creator, so an access of the creator does not pass them when it
 * moves; an access of the created thread does not pass the start of its thread, and the join comes after the
 * thread's last access. So here, too, the access passes no dependent event. The result is an execution in which
 * threads switch only at points of the version, so the search has an equivalent one: a contradiction.
 *
 * (2) Otherwise let A be the first silent access of E that moves a cell to shared or to handed over. The silent
 * accesses before A can be moved as in (1). So the search has an execution that begins with an equivalent sequence
 * of operations and in which the thread of A comes to A. There the cell of the granule moved in the same way: a
 * contradiction.
 *
 * Failures. What moves backwards must not take the end of the execution with it: if a silent access were glued to a
 * failure right behind it (an assertion on the value that was read), the events of other threads between the two
 * would have no place in the execution of the search. Therefore a thread that fails makes an operation before it
 * ends the execution (RD_OP_FAIL, rt/thread/failure_point.h), and the others can go on first. An exit is an
 * operation anyway; a failed assumption stops only its thread.
 *
 * If a granule does become shared or handed over, the search begins again with the next version
 * (explore/loop_sharing.c). Accesses to it were no operations in the execution that showed this, atomic ones
 * included, so that its record may lack an edge of happens-before: no race is inferred from it.
 *
 * The accesses of a thread while no other thread exists, or all others have been joined, are not in the table: they
 * lie between a join and a creation, which are operations of this thread, and pass neither. (OpenMP's workers count
 * as joined between two regions: the end and the beginning of regions are operations.)
 *
 * Bounds on preemptions keep their meaning: a thread that is preempted before a silent access can as well be
 * preempted before its next operation.
 *
 * Uses of memory that the table cannot see make *everything* shared; rt/access/shared_access.h lists them.
 *
 * POINTS WHERE ACCESSES RACE (--points sync). After Musuvathi and Qadeer, "Iterative context bounding for
 * systematic testing of multithreaded programs", PLDI 2007, section 4: a search that switches threads at
 * synchronisation only is complete if no access of any of its executions races. So granules that are shared by the
 * rules above are not points but *checked* (RD_SHARING_CHECKED): every access to them is compared, by the vector
 * clocks of detect/sync.h, with the accesses before it (rt/access/race_watch.h). A granule where two accesses race
 * is a point from the next version on; the versions of cells and the log are about these granules only. That a
 * granule becomes checked needs no version of its own, because it changes the points of no execution. But the
 * search begins again, since the accesses of earlier executions were not checked. All atomic accesses are points,
 * whoever uses their memory.
 *
 * Claim: if a search is complete at the points of one version, and in none of its executions a granule became
 * checked or handed over, nor did a silent access race, then every execution with all accesses as points is
 * equivalent to an execution of the search, and no silent access of it races.
 *
 * Proof. Order the events of an execution by happens-before as sync.h defines it: each of its edges leads from a
 * point of one thread to a later point of another one (or of a creator to the first point of the new thread), and
 * the two points depend on each other. Suppose that an execution with all accesses as points breaks the claim, and
 * let E be its shortest beginning that does: its last event A is a silent access that moves the cell of its
 * granule, or races, or A is any event and E, free of both, is equivalent to the beginning of no execution of the
 * search.
 *
 * Two accesses of E before A that conflict, one of them silent, are ordered by happens-before, or their granule
 * concerns one thread only (it is its own, or only read, or was handed over), and the rules above let it pass. So
 * if B of thread u comes before the silent access S of thread t and conflicts with it, then t performs a point
 * between B and S that B happens before. Now move every silent access back to right behind the last point of its
 * thread. None passes an access that it conflicts with: S stays behind the point of t, which stays behind the point
 * of u that comes after B. The result is equivalent to E, and in it threads switch only at points.
 *
 * (1) A is no silent access that moves a cell or races. Then all of E was moved, A included, and the result is an
 * execution of the system that the search explores: threads whose silent accesses are glued to the point before
 * them. The search is complete there: a reduction by partial orders may exchange two neighbouring points that are
 * independent, and with them go the silent accesses behind each. These do not conflict, since a conflict between
 * them would not be ordered by happens-before: it would be a race. So some execution of the search begins with a
 * sequence that is equivalent to E: a contradiction.
 *
 * (2) A, of thread t, moves a cell or races with an earlier access. The search has an execution that begins with a
 * sequence equivalent to the events before A, and there t goes on from its last point to A at once. If A moves a
 * cell, it does so there: a contradiction. Otherwise let B be the first access of that sequence with which A races.
 * Nothing that A and B depend on differs from E, so both are executed, in one order or the other, and whichever
 * comes second is found to race, because happens-before follows from the order of the points alone: a
 * contradiction.
 *
 * What the check over-approximates makes more points, which is never wrong: a call that may use up to n bytes uses
 * all of them, and the memory that a waiting call fills is used before the wait. Everything that makes all memory
 * shared above makes every access a point here.
 */
#ifndef RD_TRACE_SHARING_H
#define RD_TRACE_SHARING_H

#include "trace/types.h"

enum {
    RD_SHARING_UNUSED = 0,
    RD_SHARING_VERSIONS = 31, /* values from 1 to this: shared since that version */
    RD_SHARING_READ_ALL = 32, /* read by several threads, written by none */
    RD_SHARING_READ = 33,     /* + t: read by thread t, used by no other */
    RD_SHARING_WRITE = 123,   /* + t: written by thread t, used by no other */
    RD_SHARING_HANDED = 213,  /* + t: handed over between thread t and its creator */
    RD_SHARING_CHECKED = 254, /* with points where accesses race: several threads use it, and one writes */
    RD_SHARING_OWNERS = 90,   /* threads below this number can be owners; memory that others use is shared */
    RD_SHARING_HEIRS = 41,    /* threads below this number can be handed memory; with others it becomes shared */
    RD_SHARING_NONE = 255,    /* the value of no cell */
};
enum { RD_SHARING_GRANULE = 8, RD_SHARING_LOG = 1 << 16 };
static_assert(RD_SHARING_READ + RD_SHARING_OWNERS == RD_SHARING_WRITE, "the ranges do not overlap");
static_assert(RD_SHARING_WRITE + RD_SHARING_OWNERS == RD_SHARING_HANDED, "nor do these");
static_assert(RD_SHARING_HANDED + RD_SHARING_HEIRS == RD_SHARING_CHECKED, "a cell is a byte");
/* Once the newest version is higher than this, memory that would be handed over becomes shared instead. */
enum { RD_SHARING_HANDING = RD_SHARING_VERSIONS / 2 };

/*
 * The number of silent accesses in a row after which a thread yields, because it may wait for another thread in a
 * loop. A yield counts as RD_SHARING_YIELD accesses.
 */
#define RD_SHARING_PATIENCE ((uint64_t)1 << 16)
enum { RD_SHARING_YIELD = 1024 };

/* A piece of shared memory, by place. */
struct rd_shared {
    rd_place first, last; /* the first and the last byte, by address */
    uint32_t version;     /* 0: the entry is being written */
    uint32_t pad;
};
static_assert(sizeof(struct rd_shared) == 24, "stored");

/* The head of the table, in memory that all processes of a search share. Invariant: version <= newest. */
struct rd_sharing {
    uint32_t version;  /* version of executions that begin now */
    uint32_t newest;   /* highest version of a granule; if above `version`, no execution had it as a point yet */
    uint32_t all_from; /* version from which on everything is shared; 0: none */
    uint32_t changes;  /* number of changes after which earlier executions no longer count as complete */
    uint64_t patience; /* see RD_SHARING_PATIENCE */
    uint32_t count;    /* number of entries that were added to the log; may exceed its room */
    uint32_t frozen;   /* granules that become points from now on get a later version than this */
    uint32_t races;    /* how often an access was found to race with an earlier one */
    uint32_t pad;
    struct rd_shared log[RD_SHARING_LOG];
};

/* The cells follow the head, one for each granule of the addresses of RD_SHARING_BITS bits. */
enum { RD_SHARING_HEAD = 16 << 20, RD_SHARING_BITS = 47 };
#define RD_SHARING_SIZE (RD_SHARING_HEAD + ((uint64_t)1 << RD_SHARING_BITS) / RD_SHARING_GRANULE)
static_assert(sizeof(struct rd_sharing) <= RD_SHARING_HEAD, "there is room");

/* The part of the table that an execution depends on. Version 0: every access is a point. */
struct rd_sharing_use {
    uint32_t version, pad;
    uint64_t patience; /* see RD_SHARING_PATIENCE */
};

/* pre: the memory is zero */
void rd_sharing_open(struct rd_sharing *s);
/* Returns the version and the patience of an execution that begins now. */
struct rd_sharing_use rd_sharing_use(const struct rd_sharing *s);
/*
 * Returns the newest version, for one execution beside the search. No granule becomes a point in this version any
 * more, whatever other processes do.
 */
struct rd_sharing_use rd_sharing_freeze(struct rd_sharing *s);
/* Makes the newest version that of executions that begin now. pre: no other process runs an execution */
void rd_sharing_advance(struct rd_sharing *s);

/* The result of an access to a granule. */
enum rd_sharing_touch {
    RD_SHARING_PRIVATE, /* the access is silent */
    RD_SHARING_POINT,   /* the granule is shared in this version */
    RD_SHARING_CHECK,   /* silent; the caller checks whether it races */
    RD_SHARING_NEWS, /* the granule must become shared: the caller calls rd_sharing_mark(), or rd_sharing_check() */
    RD_SHARING_HANDS, /* silent, and the granule was handed over now: the caller calls rd_sharing_handed() */
};
/* The thread that accesses a granule. */
struct rd_sharing_by {
    rd_tid tid;
    rd_tid creator; /* RD_TID_NONE: tid is the main thread */
    rd_tid apart;   /* the owner of the cell, if it is a child of `tid` that does not exist yet or that `tid` has
                     * joined; else RD_TID_NONE */
};
/* Returns the owner of a cell, or RD_TID_NONE. */
rd_tid rd_sharing_owner(unsigned cell);
/*
 * A thread accesses a granule in an execution of this version. Moves the cell on, except to shared: the function
 * returns RD_SHARING_NEWS until the cell was marked. pre: `by->apart` is the owner of the cell, or RD_TID_NONE
 */
enum rd_sharing_touch rd_sharing_touch(const struct rd_sharing *s, uint8_t *cell, const struct rd_sharing_by *by,
                                       bool writes, uint32_t version);
void rd_sharing_handed(struct rd_sharing *s);
/* Makes `count` cells shared, and logs these places. Returns whether one of them was not shared before. */
bool rd_sharing_mark(struct rd_sharing *s, uint8_t *cells, uint64_t count, rd_place first, rd_place last);
/*
 * With points where accesses race: makes `count` cells RD_SHARING_CHECKED that are no points. Returns whether one
 * of them was not.
 */
bool rd_sharing_check(struct rd_sharing *s, uint8_t *cells, uint64_t count);
/* An access was found to race. The caller makes its granule a point by rd_sharing_mark(). */
void rd_sharing_raced(struct rd_sharing *s);
/*
 * Returns the size in bytes, a power of 2, of the aligned memory around a granule that becomes shared together with
 * it. It grows with the number of versions, so that a program which shares much does not need too many of them.
 */
uint64_t rd_sharing_grain(const struct rd_sharing *s);
/* Makes all memory shared, from the next version on. */
void rd_sharing_everything(struct rd_sharing *s);
/* Raises the patience of later executions to at least this. A thread calls it that yields out of patience. */
void rd_sharing_impatient(struct rd_sharing *s, uint64_t patience);

/*
 * Writes the memory that is shared in a version to `to`, which has room for RD_SHARING_LOG pieces: in ascending
 * order, pieces that touch each other joined. Returns their number, or UINT32_MAX if all memory is shared.
 */
uint32_t rd_sharing_list(const struct rd_sharing *s, uint32_t version, struct rd_shared *to);

#endif
