/*
 * step.h - what a thread does: its pending operation, and the step that comes of it. types.h has the glossary.
 */
#ifndef RD_TRACE_STEP_H
#define RD_TRACE_STEP_H

#include "base/base.h"
#include "trace/access_mode.h"

typedef uint16_t rd_tid;   /* number of a thread, the same in every execution; 0 is the main thread */
typedef uint64_t rd_place; /* see place.h */

enum { RD_TID_MAX = 1024, RD_TID_NONE = 0xffff, RD_STACK_MAX = 48, RD_STEP_STACK = 12 };
enum { RD_HEAP_STACK = 8, RD_CIRCLE_MAX = 16, RD_KNOWN_MAX = 16, RD_NOTED_MAX = 8 };

/* Properties of a kind of operation; ops.def says what each means. */
enum rd_op_flag {
    RD_F_POINT = 1,
    RD_F_READS = 2,
    RD_F_WRITES = 4,
    RD_F_ATOMIC = 8,
    RD_F_YIELD = 16,
    RD_F_VALUE = 32,
    RD_F_CANCEL = 64,
    RD_F_INTERRUPT = 128,
    RD_F_OBJECT = 256,
    RD_F_BLOCKS = 512,
    RD_F_STORES = 1024,
    RD_F_MODEL = 2048,
};

enum rd_op_kind {
#define RD_OP(id, name, flags) RD_OP_##id,
#include "trace/ops.def"
#undef RD_OP
    RD_OP_KINDS
};

const char *rd_op_name(unsigned kind);
/* By kind. It has an entry for each value of a byte: kinds are mostly stored in bytes, which need no range check.
 */
extern const uint16_t rd_op_flag_table[256];
static inline unsigned rd_op_flags(unsigned kind) { return kind < 256 ? rd_op_flag_table[kind] : 0; }
/* Returns the kind with that name, or RD_OP_KINDS if no kind has it. */
unsigned rd_op_by_name(const char *name);

enum { RD_ACCESS_MAX = 16 }; /* bytes of one access of the program; a longer one is a range */

/* A pending operation of a thread. */
struct rd_op {
    uint64_t addr;  /* address of the object, or of the first byte of memory, in this process; 0: none */
    rd_place place; /* place of `addr` */
    uint64_t addr2; /* address of a second object: the mutex of a condition wait; or a list of extents by address */
    rd_place place2;   /* place of the second object; or the address of the kept list of extents by place */
    uint64_t arg;      /* argument, by kind: thread of a join, nanoseconds of a sleep, type of a mutex … */
    rd_place pc;       /* place of the operation in the code */
    uint64_t deadline; /* virtual nanoseconds since the start at which the wait times out; 0: never */
    uint64_t local;    /* hash of the thread's registers and stack, to recognise loops; 0: not known */
    uint32_t size;     /* number of bytes that it accesses */
    uint8_t kind;      /* enum rd_op_kind */
    uint8_t order;     /* memory order of an atomic, as in <stdatomic.h>, or RD_ACCESS_* (access_mode.h) */
    uint8_t at_once;   /* 1: it never waits, although others of its kind do */
    uint8_t
        silent; /* 1: since its last operation but yields the thread has made silent accesses (trace/sharing.h) */
};
static_assert(sizeof(struct rd_op) == 72, "stored");

/* Returns whether there is a state in which the operation is disabled. */
static inline bool rd_op_may_block(const struct rd_op *op) {
    return rd_op_flags(op->kind) & RD_F_BLOCKS && !op->at_once;
}

/* Bits of rd_step.flags. */
enum {
    RD_STEP_SWITCH = 1,      /* the step before is by another thread */
    RD_STEP_PREEMPTION = 2,  /* a switch, and the thread of the step before was still enabled */
    RD_STEP_FORCED = 4,      /* the fair tail took the step, not the plan or the picker; or it is an unasked step */
    RD_STEP_HAS_VALUE = 8,   /* `value` is what was read or written */
    RD_STEP_VALUE2 = 16,     /* `value` is the place of the second object */
    RD_STEP_COULD_STAY = 32, /* the thread of the step before was enabled, by more than a time-out */
    RD_STEP_GAVE_UP = 64,    /* the wait ended by a time-out, a cancellation or a spurious wake-up */
    RD_STEP_SIGNALLED = 128, /* a signal's handler ran instead; the thread announces the operation again */
};

enum { RD_LATE_MAX = 30 }; /* candidates of which a step says whether they would only time out */

/*
 * An operation that was performed. A VALUE step is the choice of a way of the operation before it: `tid` is the
 * thread that made the choice, `value` the index of the way.
 */
struct rd_step {
    rd_place place, pc;
    uint64_t
        value;   /* of an access: the value read or written; else a result, thread, second place or kept extents */
    uint32_t fp; /* fingerprint of the candidates */
    uint32_t cand; /* index of the first candidate in the record's `cands` */
    uint32_t size;
    rd_tid tid;
    uint16_t ncand; /* number of candidates; of a VALUE step: number of ways */
    uint8_t op, flags;
    uint8_t result; /* errno-like result of a synchronisation call */
    uint8_t order;
    uint32_t only_times_out : RD_LATE_MAX; /* bit i: candidate i is enabled only because its wait may time out */
    uint32_t timed : 1;                    /* the operation has a deadline */
    uint32_t silent : 1;                   /* as in struct rd_op */
};
static_assert(sizeof(struct rd_step) == 48, "stored");

/* True if the step is a VALUE step: the choice of a way of the operation before it. */
static inline bool rd_step_is_way(const struct rd_step *s) { return rd_op_flags(s->op) & RD_F_VALUE; }

#endif
