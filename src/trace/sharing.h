/*
 * sharing.h - which memory threads share. An access to memory is an operation only where more than one thread uses
 * that memory: what one thread alone uses (its stack, blocks of the heap that it keeps to itself) and what nobody
 * writes is of no interest to any other thread.
 *
 * The table has a cell of one byte for each *granule*, 8 bytes of memory. The cell says who has used the granule in
 * any execution so far:
 *
 *     unused -> read by one thread -> read by several threads, written by none
 *          \          |                        |
 *           -> written by one thread ----------+----> shared, from a version on
 *                     |                        |
 *                      -> handed over ---------+
 *
 * *Handed over* is memory of a thread and of the one that created it, where the creator uses it only before it
 * creates that thread and after it has joined it: what it initialises for the new thread, and what that leaves
 * behind. When the second of the two first uses it, nobody has recorded whether the creator kept to this. So the
 * search begins again, and from then on every access of the creator's is checked.
 *
 * Granules only ever move to the right. All processes of a search have the same table, and it outlives executions.
 * An execution has a *version*: granules that became shared up to that version are points in it, all others are
 * not. Those that become shared while it runs have a later version. So what is a point in an execution follows
 * from its version alone, and a schedule that names the shared granules of its version can be repeated.
 *
 * Why nothing is lost. Take a search that is complete at the points of one version, in which no granule became
 * shared or handed over. Say there is an execution with every access as a point that no execution of the search is
 * equivalent to. Look at its accesses to granules that are not shared. Either each such granule is used by one
 * thread only, or only read, or used by a thread and its creator, who keep to what *handed over* says. Then each
 * access can be moved to right behind the operation before it of the same thread. In the first two cases it depends
 * on nothing that another thread does. In the third, all accesses of the other thread are on the far side of the
 * creation or the join, and these are operations of the creator: an access of the creator's does not pass them
 * when it moves, nor does one of the created thread's pass that thread's start. So the result is an execution of
 * the search: a contradiction. Or there is a first access by which a granule becomes shared, or is handed over.
 * Everything before it can be moved in the same way, so the search has an execution that begins with the same
 * operations, in the same order or an equivalent one, and in which that thread comes to the same access. There the
 * granule became shared, or was handed over: a contradiction again. When that has happened the search begins again,
 * with the next version (explore/loop_sharing.c).
 *
 * What a thread does while no other one exists, or all others have been joined, is not in the table: it lies
 * between a join and a creation, operations of its own, and passes neither. (OpenMP's workers between two regions
 * count as joined: the end and the beginning of regions are operations.)
 *
 * Preemptions: a thread that is preempted before such an access can as well be preempted before its next operation,
 * so bounds mean the same.
 *
 * Who uses memory in ways that are not seen here makes *everything* shared (rt/access/shared_access.c has the
 * list).
 */
#ifndef RD_TRACE_SHARING_H
#define RD_TRACE_SHARING_H

#include "trace/types.h"

enum {
    RD_SHARING_UNUSED = 0,
    RD_SHARING_VERSIONS = 31, /* 1 to this: shared since that version */
    RD_SHARING_READ_ALL = 32, /* read by several threads, written by none */
    RD_SHARING_READ = 33,     /* + thread: read by this one alone */
    RD_SHARING_WRITE = 123,   /* + thread: used by this one alone */
    RD_SHARING_HANDED = 213,  /* + thread: used by this one, and by its creator before it and after it */
    RD_SHARING_OWNERS = 90,   /* threads that can be owners; whatever others use is shared */
    RD_SHARING_HEIRS = 42,    /* threads that memory can be handed over to; to others, it is shared */
    RD_SHARING_NONE = 255,    /* no cell is this */
};
enum { RD_SHARING_GRANULE = 8, RD_SHARING_LOG = 1 << 16 };
static_assert(RD_SHARING_READ + RD_SHARING_OWNERS == RD_SHARING_WRITE, "the ranges do not overlap");
static_assert(RD_SHARING_WRITE + RD_SHARING_OWNERS == RD_SHARING_HANDED, "nor do these");
static_assert(RD_SHARING_HANDED + RD_SHARING_HEIRS == RD_SHARING_NONE, "a cell is a byte");
/* Versions up to this one may come of memory that is handed over; after that it is shared instead. */
enum { RD_SHARING_HANDING = RD_SHARING_VERSIONS / 2 };

/*
 * Accesses to memory of its own in a row after which a thread lets others go on, in case it waits for one of them;
 * a yield counts as so many.
 */
#define RD_SHARING_PATIENCE ((uint64_t)1 << 16)
enum { RD_SHARING_YIELD = 1024 };

/* Memory that is shared, by place. */
struct rd_shared {
    rd_place first, last; /* the first and the last byte, by address */
    uint32_t version;     /* 0: the entry is being written */
    uint32_t pad;
};
static_assert(sizeof(struct rd_shared) == 24, "stored");

/* What is at the start of the memory that all processes of a search have. */
struct rd_sharing {
    uint32_t version;  /* of executions that begin now */
    uint32_t newest;   /* that a granule has; more than `version`: executions did not see it as a point yet */
    uint32_t all_from; /* from this version on everything is shared; 0: it is not */
    uint32_t changes;  /* counts everything that executions before it cannot be relied on for */
    uint64_t patience;
    uint32_t count; /* of the log; may be more than there is room for */
    uint32_t pad;
    struct rd_shared log[RD_SHARING_LOG];
};

/* The cells come behind that, for all addresses of so many bits. */
enum { RD_SHARING_HEAD = 16 << 20, RD_SHARING_BITS = 47 };
#define RD_SHARING_SIZE (RD_SHARING_HEAD + ((uint64_t)1 << RD_SHARING_BITS) / RD_SHARING_GRANULE)
static_assert(sizeof(struct rd_sharing) <= RD_SHARING_HEAD, "there is room");

/* What an execution is run with. Version 0: every access is a point. */
struct rd_sharing_use {
    uint32_t version, pad;
    uint64_t patience; /* see RD_SHARING_PATIENCE */
};

/* pre: the memory is zero */
void rd_sharing_open(struct rd_sharing *s);
/* What executions that begin now are run with. */
struct rd_sharing_use rd_sharing_use(const struct rd_sharing *s);
/* The granules that became shared are points from now on, too. pre: no other process runs an execution. */
void rd_sharing_advance(struct rd_sharing *s);

/* How an access finds a cell. */
enum rd_sharing_touch {
    RD_SHARING_PRIVATE, /* nothing that concerns another thread */
    RD_SHARING_POINT,   /* the granule is shared in this version */
    RD_SHARING_NEWS,    /* it is to become shared: another thread uses it, too */
    RD_SHARING_HANDS,   /* private, and it was handed over now: rd_sharing_handed() is to be called */
};
/* Who touches it. */
struct rd_sharing_by {
    rd_tid tid, creator; /* RD_TID_NONE: main() */
    rd_tid apart;        /* the owner of the cell, if that is a thread which this one creates, and which does not
                          * exist yet or was joined by it; else RD_TID_NONE */
};
/* Of which thread is this cell? RD_TID_NONE: of none. */
rd_tid rd_sharing_owner(unsigned cell);
/*
 * A thread touches a granule in an execution of this version. The cell moves on, but not to shared: RD_SHARING_NEWS
 * is returned every time until it was marked. `by->apart` is the owner of the cell, if it can be.
 */
enum rd_sharing_touch rd_sharing_touch(const struct rd_sharing *s, uint8_t *cell, const struct rd_sharing_by *by,
                                       bool writes, uint32_t version);
void rd_sharing_handed(struct rd_sharing *s);
/* `count` cells become shared, with this place for the log. Returns whether any was not yet. */
bool rd_sharing_mark(struct rd_sharing *s, uint8_t *cells, uint64_t count, rd_place first, rd_place last);
/* How much around a granule becomes shared with it, in bytes, a power of 2: more when that happens often. */
uint64_t rd_sharing_grain(const struct rd_sharing *s);
void rd_sharing_everything(struct rd_sharing *s);
/* A thread has lost its patience: those of later executions have this much, at least. */
void rd_sharing_impatient(struct rd_sharing *s, uint64_t patience);

/*
 * What is shared in a version, in ascending order, what touches joined. Returns how many there are; UINT32_MAX: all
 * memory. `to` has room for RD_SHARING_LOG.
 */
uint32_t rd_sharing_list(const struct rd_sharing *s, uint32_t version, struct rd_shared *to);

#endif
