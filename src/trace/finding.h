/*
 * finding.h - bugs of the program that executions show, and what is known about a stored one beyond its execution.
 */
#ifndef RD_TRACE_FINDING_H
#define RD_TRACE_FINDING_H

#include "trace/step.h"

enum rd_finding_kind {
#define RD_FINDING(id, name, meaning) RD_##id,
#include "trace/findings.def"
#undef RD_FINDING
    RD_FINDING_KINDS
};

const char *rd_finding_name(unsigned kind);
/* What findings of this kind mean, for people; "": it is no kind of findings. */
const char *rd_finding_meaning(unsigned kind);
unsigned rd_finding_by_name(const char *name);
/* True for findings that a detector infers from the record of an execution in which the program did not fail. */
static inline bool rd_is_predicted(unsigned kind) {
    return kind == RD_DATA_RACE || kind == RD_LOCK_DISCIPLINE || kind == RD_PREDICTED_DEADLOCK;
}

/* True for findings in which the threads can make no more progress. */
static inline bool rd_is_stuck(unsigned kind) { return kind == RD_DEADLOCK || kind == RD_LIVELOCK; }

/* rd_finding.status of a hang that the watchdog's clock found, not the number of steps: its place is accidental. */
enum { RD_HANG_BY_TIME = 1 };

/*
 * rd_finding.status of a data race. BENIGN: the program declares that the race is intended; it is counted, never
 * reported. UNRELIABLE: unseen code ran in both threads between the two accesses and may have ordered them; it is a
 * warning.
 */
enum { RD_RACE_BENIGN = 1, RD_RACE_UNRELIABLE = 2 };
/* Returns the key of an unreliable race; `key` is that of a certain race of the same two places. */
static inline uint64_t rd_race_key_unreliable(uint64_t key) { return rd_hash2(key, RD_RACE_UNRELIABLE); }
/* True for a call of a function without known effects: it depends on every event, and may synchronise. */
static inline bool rd_step_is_unseen(const struct rd_step *s) {
    return s->op == RD_OP_CALL && rd_access_mode_is_wide(s->order);
}

/* The block of the heap that a finding is about: where it was allocated and where it was freed. */
struct rd_heap_fact {
    rd_place block; /* first byte; 0: the finding is about no block */
    uint64_t size;
    int64_t offset;             /* offset in the block of the byte that was touched, as far as 32 bits hold it */
    rd_place made_pc, freed_pc; /* places in the code of the allocation and of the free; freed_pc 0: in use */
    rd_tid made_tid, freed_tid;
    uint32_t count; /* of a leak: number of lost blocks from the same place in the code */
    rd_place made[RD_HEAP_STACK], freed[RD_HEAP_STACK]; /* in detail mode: the call stacks; 0 ends each */
};

/* A bug of the program that an execution shows. */
struct rd_finding {
    uint32_t kind;
    rd_tid tid;
    rd_tid other_tid; /* thread of `other_pc`; RD_TID_NONE, or 0 without other_pc: none */
    int32_t signal, status;
    uint64_t fault_addr;
    rd_place pc;       /* place in the code */
    rd_place other_pc; /* second place, e.g. where the lock was taken; of a hang: the futex of the blocked thread */
    uint64_t key;      /* equal for findings that are the same bug */
    int32_t line;      /* source line as the assertion itself states it; 0: `pc` gives it */
    uint32_t step, other_step; /* the steps it is about, + 1; 0: none in particular */
    uint32_t circle_count;
    /* of a predicted deadlock: the steps + 1 of which each takes the lock that the next one holds; 0: tid's pending
     * operation */
    uint32_t circle[RD_CIRCLE_MAX];
    struct rd_heap_fact heap;
    /* of a data race with a call: the memory that both sides touch, and which of them write it (RD_RACE_*_WRITES)
     */
    rd_place data;
    uint32_t data_writes, pad;
    char file[256], function[128], message[512];
};
enum { RD_RACE_FIRST_WRITES = 1, RD_RACE_SECOND_WRITES = 2 };

static inline bool rd_is_unreliable(const struct rd_finding *f) {
    return f->kind == RD_DATA_RACE && f->status == RD_RACE_UNRELIABLE;
}

/*
 * A misuse that does not end the execution, as it does not end the program without Raddle: thread `tid` ended with
 * a mutex locked. If that leads to a deadlock, the deadlock is a finding of its own.
 */
struct rd_noted {
    uint64_t key;
    rd_place pc;    /* place in the code where the thread locked the mutex */
    uint32_t steps; /* number of steps up to the end of the thread */
    rd_tid tid;
    uint16_t pad;
};
struct rd_finding rd_noted_finding(const struct rd_noted *n);

/* True for free() of memory that is no block: other misuse is not of the heap. */
bool rd_is_heap_misuse(const struct rd_finding *f);

/* A heap error that the user declares known. */
struct rd_known_error {
    uint64_t key;
    rd_place pc;
    uint16_t line; /* the line of --suppress that it is known by; UINT16_MAX: it is known by its key */
    uint16_t kind;
    uint32_t pad;
};

/*
 * What is known of a stored finding beyond its execution: how far the schedule was simplified (explore/minimise.h),
 * and which steps decide the finding (explore/explain.h). Steps are numbers + 1 in the schedule; 0: none.
 */
struct rd_why {
    uint32_t minimised;       /* 1: a simplification was tried */
    uint32_t proved;          /* 1: no execution with fewer preemptions shows the finding */
    uint32_t preemptions;     /* number of preemptions of the execution that the search found */
    uint32_t switches, steps; /* its numbers of switches and steps */
    uint32_t executions;      /* number of executions that simplifying and explaining took */
    uint32_t explained;       /* 1: the fields below are valid */
    uint32_t critical; /* step after which every execution fails, and before which one passed; 0: none passed */
    uint32_t tried;    /* number of executions that were run from the critical step on, all of which failed */
    uint32_t all;      /* 1: every other execution from there on is equivalent to one of them */
    uint32_t first;    /* this step came before `second`; in the opposite order an execution passed */
    uint32_t second;   /* the second step; 0: second_tid did not come to it in this schedule */
    uint32_t before;   /* last step of second_tid on the same object or memory before `first` */
    rd_tid second_tid;
    uint8_t second_op, pad; /* kind of the second operation */
    rd_place second_place, second_pc;
    uint64_t ordered;             /* bit t: the finding needs thread t to run when it does (explore/refine.c) */
    uint32_t ordered_known, pad2; /* 1: `ordered` is valid */
};
static_assert(sizeof(struct rd_why) == 88, "stored");

#endif
