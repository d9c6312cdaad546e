/*
 * types.h - the data model that every part shares: operations, steps, choices, plan, outcome, finding.
 *
 * Glossary
 *   execution   one run of the test under one schedule
 *   operation   a visible action of a thread (struct rd_op)
 *   point       a moment at which more than one thread (or value) could be chosen
 *   choice      what was taken there (struct rd_choice)
 *   step        one operation that happened, with the choice that let it happen (struct rd_step)
 *   plan        all that one execution needs: a prefix of choices, then a picker with its seed
 *   outcome     what came of it
 *   place       an address as a name that is the same in every execution (place.h)
 *
 * Everything with a static_assert on its size is stored in shared memory: change RD_CHANNEL_VERSION with it.
 */
#ifndef RD_TRACE_TYPES_H
#define RD_TRACE_TYPES_H

#include "base/base.h"
#include "trace/access_mode.h"

typedef uint16_t rd_tid;   /* 0 is the main thread; a number means the same thread in every execution */
typedef uint64_t rd_place; /* see place.h */

enum { RD_TID_MAX = 1024, RD_TID_NONE = 0xffff, RD_STACK_MAX = 48, RD_STEP_STACK = 12 };
enum { RD_HEAP_STACK = 8, RD_CIRCLE_MAX = 16, RD_KNOWN_MAX = 16, RD_NOTED_MAX = 8 };

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
};

enum rd_op_kind {
#define RD_OP(id, name, flags) RD_OP_##id,
#include "trace/ops.def"
#undef RD_OP
    RD_OP_KINDS
};

const char *rd_op_name(unsigned kind);
extern const uint16_t rd_op_flag_table[256]; /* for every byte: of most kinds it is known that they are one */
static inline unsigned rd_op_flags(unsigned kind) { return kind < 256 ? rd_op_flag_table[kind] : 0; }
/* The kind with that name, or RD_OP_KINDS. */
unsigned rd_op_by_name(const char *name);

enum { RD_ACCESS_MAX = 16 }; /* bytes of one access of the program; more is a range */

/* What a thread is about to do. */
struct rd_op {
    uint64_t addr;   /* the object or the first byte of memory, in this process; 0: none */
    rd_place place;  /* the same as a name */
    uint64_t addr2;  /* a second object: the mutex of a condition wait; or extents by address (RD_ACCESS_EXTENTS) */
    rd_place place2; /* the same as a name; or the address of kept extents, by place */
    uint64_t arg;    /* by kind: thread of create/join, nanoseconds of a sleep, type of a mutex … */
    rd_place pc;     /* where in the code */
    uint64_t deadline; /* virtual nanoseconds since the start at which it gives up; 0: never */
    uint64_t local;    /* hash of the thread's registers and stack, to recognise loops; 0: not known */
    uint32_t size;     /* bytes accessed */
    uint8_t kind;      /* enum rd_op_kind */
    uint8_t order;     /* memory order of an atomic, as in <stdatomic.h>, or RD_HOW_* */
    uint8_t pad[2];
};
static_assert(sizeof(struct rd_op) == 72, "stored");

/* Bits of rd_step.flags. */
enum {
    RD_STEP_SWITCH = 1,     /* another thread ran before */
    RD_STEP_PREEMPTION = 2, /* … and could have gone on */
    RD_STEP_FORCED = 4,     /* taken by the fair tail, not by plan or picker */
    RD_STEP_HAS_VALUE = 8,
    RD_STEP_VALUE2 = 16,     /* value holds a second object */
    RD_STEP_COULD_STAY = 32, /* the thread of the step before could have gone on */
    RD_STEP_GAVE_UP = 64,    /* it gave up a wait, or went on out of an allowance of the execution's */
    RD_STEP_SIGNALLED = 128, /* a signal's handler ran instead; the operation is tried again */
};

/* One operation that happened. For a VALUE step tid is the thread that made it and value the index taken. */
struct rd_step {
    rd_place place, pc;
    uint64_t value; /* memory: what was read or written; otherwise result, thread, second place or kept extents */
    uint32_t fp;    /* fingerprint of what was enabled */
    uint32_t cand;  /* first candidate in the outcome's list */
    uint32_t size;
    rd_tid tid;
    uint16_t ncand; /* candidates at this point */
    uint8_t op, flags;
    uint8_t result; /* errno-like result of a synchronisation call */
    uint8_t order;
    uint32_t only_times_out : 31; /* bit i: candidate i can only give up */
    uint32_t timed : 1;           /* it has a deadline */
};
static_assert(sizeof(struct rd_step) == 48, "stored");

/* Is it a choice inside the operation before it (which waiter is woken)? */
static inline bool rd_step_is_way(const struct rd_step *s) { return rd_op_flags(s->op) & RD_F_VALUE; }

/*
 * One element of a plan's prefix: what to take, and what must be true when it is taken. Of a sparse prefix only the
 * steps that differ from what the picker does are there, each with its number; operations are not compared.
 */
struct rd_choice {
    rd_place place;
    union {
        rd_place pc;
        uint64_t step; /* sparse */
    };
    uint32_t fp;   /* 0: not compared */
    uint16_t pick; /* the thread, or the index for a VALUE step */
    uint8_t op;    /* of that thread; NONE: not compared (an alternative that was never taken) */
    uint8_t pad;
};
static_assert(sizeof(struct rd_choice) == 24, "stored");

/* Turns the steps of an execution into the prefix of a plan that repeats the first `count` of them. */
void rd_choices_of_steps(struct rd_choice *to, const struct rd_step *steps, uint32_t count);

/* Which accesses to memory are points. Those of synchronisation and atomics always are. */
enum rd_access_points {
    RD_ACCESSES_ALL,
    RD_ACCESSES_TRACKED,         /* to what the plan tracks */
    RD_ACCESSES_SELECTIVE,       /* the same, and code that does not touch it is not even asked */
    RD_ACCESSES_PROFILE,         /* as AFTER, with nothing tracked: they are counted in the record's profile */
    RD_ACCESSES_AFTER,           /* to what the plan tracks, and the first after such a one or after no access */
    RD_ACCESSES_SELECTIVE_AFTER, /* the same, and code that makes neither is not even asked */
    RD_ACCESSES_COUNT
};

static inline bool rd_accesses_selective(unsigned w) {
    return w == RD_ACCESSES_SELECTIVE || w == RD_ACCESSES_SELECTIVE_AFTER;
}
static inline bool rd_accesses_after(unsigned w) { return w >= RD_ACCESSES_PROFILE && w < RD_ACCESSES_COUNT; }
/* The same points, with nothing counted and no code switched off. */
static inline uint8_t rd_accesses_again(unsigned w) {
    return w == RD_ACCESSES_ALL ? RD_ACCESSES_ALL : rd_accesses_after(w) ? RD_ACCESSES_AFTER : RD_ACCESSES_TRACKED;
}

/* Memory or objects that a plan tracks: a variable, or a part of one. */
struct rd_track {
    rd_place first, last;
    uint32_t var; /* which variable, from 0 */
    uint32_t pad;
};
static_assert(sizeof(struct rd_track) == 24, "stored");
/* Pieces of memory that a plan can track, and those of all findings together. */
enum { RD_TRACKS_MAX = 4096, RD_TRACKS_STORED = 4 * RD_TRACKS_MAX };

struct rd_plan {
    uint32_t prefix_count;
    uint32_t picker; /* index in the pickers' table */
    uint64_t seed;
    uint32_t steps_max_cut; /* end the execution after so many steps, as RD_CUT; 0: never */
    /*
     * So many threads of the record's `sleep` are asleep from the last element of the prefix on: they are not
     * chosen until something happens that depends on what they are about to do. When only they could go on, the
     * execution is cut.
     */
    uint16_t sleep_count;
    uint32_t soft; /* from this element of the prefix on, one that does not fit ends the prefix, no more; 0: none */
    uint32_t
        preemptions_cut; /* end the execution where the picker would preempt for the so manieth time; 0: never */
    uint8_t sparse;
    uint8_t ask_always;    /* the picker is asked with one candidate, too */
    uint8_t access_points; /* enum rd_access_points */
    uint8_t sites_on;      /* a selective one: all code is asked, also what is said to be off */
    uint32_t a, b;         /* parameters of the picker, if it has any */
    uint32_t yields;       /* as in struct rd_config, for this execution, when it is more than there */
    uint32_t track_count;  /* of the record's `track`: sorted, no two overlap */
};

/* What the program says of a piece of its memory (raddle.h, Annotate*). */
enum rd_annotation_kind { RD_ANNOTATION_NAME, RD_ANNOTATION_BENIGN };
struct rd_annotation {
    rd_place first, last;
    uint32_t kind; /* enum rd_annotation_kind */
    char name[48]; /* of RD_ANNOTATION_NAME */
    uint32_t pad;
};
static_assert(sizeof(struct rd_annotation) == 72, "stored");

/* What earlier executions tell of a thread, for pickers. */
struct rd_weight {
    uint32_t steps;
    rd_tid parent; /* who creates it */
    uint16_t pad;
};

enum rd_verdict {
    RD_RUNNING,  /* not over; when the process is gone all the same, its wait status tells */
    RD_PASSED,   /* ended as expected */
    RD_FOUND,    /* a finding */
    RD_DIVERGED, /* the prefix did not fit: the program is not deterministic, or another one */
    RD_REFUSED,  /* the program did what Raddle cannot control; message says what */
    RD_CUT,      /* ended by the plan */
    RD_DROPPED,  /* an assumption of the program's does not hold in it (raddle_assume) */
    RD_GIVEN_UP, /* ended because the search was to stop: it counts for nothing */
};

enum rd_finding_kind {
    RD_NO_FINDING,
    RD_ASSERTION,
    RD_CRASH,
    RD_EXIT_STATUS,
    RD_DEADLOCK,
    RD_LIVELOCK,
    RD_DATA_RACE,
    RD_LOCK_DISCIPLINE,
    RD_PREDICTED_DEADLOCK,
    RD_USE_AFTER_FREE,
    RD_DOUBLE_FREE,
    RD_MISUSE,
    RD_OUTPUT,
    RD_HANG,
    RD_HEAP_OVERFLOW,
    RD_LEAK,
    RD_FINDING_KINDS
};

const char *rd_finding_name(unsigned kind);
unsigned rd_finding_by_name(const char *name);
/* Read in an execution in which nothing went wrong: the program does not show it by itself. */
static inline bool rd_is_predicted(unsigned kind) {
    return kind == RD_DATA_RACE || kind == RD_LOCK_DISCIPLINE || kind == RD_PREDICTED_DEADLOCK;
}

/* Threads wait for each other, or for what nobody is left to do. */
static inline bool rd_is_stuck(unsigned kind) { return kind == RD_DEADLOCK || kind == RD_LIVELOCK; }

/* rd_finding.status of a hang that the clock found, not the number of steps: where it was seen is an accident. */
enum { RD_HANG_BY_TIME = 1 };

/*
 * rd_finding.status of a data race: BENIGN, the program says that it is meant: it is counted, never reported.
 * UNRELIABLE, code that is not seen ran in both threads in between, and may have ordered the two: it is a warning.
 */
enum { RD_RACE_BENIGN = 1, RD_RACE_UNRELIABLE = 2 };
/* An unreliable race has another key than a race of the same two places that is certain. */
static inline uint64_t rd_race_key_unreliable(uint64_t key) { return rd_hash2(key, RD_RACE_UNRELIABLE); }
/* A call of a function of which nothing is known: it depends on everything, and may synchronise. */
static inline bool rd_step_is_unseen(const struct rd_step *s) {
    return s->op == RD_OP_CALL && rd_access_mode_is_wide(s->order);
}

/* What a program does beside what is controlled, where that is noticed. */
enum rd_unseen {
    RD_UNSEEN_THREAD = 1,    /* a thread that no hook made */
    RD_UNSEEN_FUTEX = 2,     /* blocked at a futex that no hook made */
    RD_UNSEEN_CALL = 4,      /* blocked in another system call */
    RD_UNSEEN_SPIN = 8,      /* ran on without an operation */
    RD_UNSEEN_LIST = 16,     /* modules with a libc of their own */
    RD_UNSEEN_EXEC = 32,     /* another program took its place */
    RD_UNSEEN_DEATH = 64,    /* it was killed, and could not say what its threads were about to do */
    RD_UNSEEN_END = 256,     /* it ended by a system call that no hook made */
    RD_UNSEEN_ALIAS = 512,   /* memory has a second name: a file that is mapped and read, or what mremap doubles */
    RD_UNSEEN_OUTPUT = 1024, /* the standard output was closed, and is something else then */
    RD_UNSEEN_TIMER = 128,   /* a signal of a timer's came at one moment, and not at others */
};

/* The block of the heap that a finding is about: who made it and who gave it back. */
struct rd_heap_fact {
    rd_place block; /* 0: it is about none */
    uint64_t size;
    int64_t offset;             /* from its start, of what was touched; as far as 32 bits tell */
    rd_place made_pc, freed_pc; /* freed_pc 0: it is in use */
    rd_tid made_tid, freed_tid;
    uint32_t count; /* of a leak: blocks that came from the same place, and are lost, too */
    rd_place made[RD_HEAP_STACK], freed[RD_HEAP_STACK]; /* in detail mode: stacks; they end at the first 0 */
};

struct rd_finding {
    uint32_t kind;
    rd_tid tid;
    rd_tid other_tid; /* of the other place; RD_TID_NONE or 0 without other_pc: there is none */
    int32_t signal, status;
    uint64_t fault_addr;
    rd_place pc;       /* where, when no source line is known */
    rd_place other_pc; /* what makes it wrong: where the lock was taken …; of a hang: the futex it is stuck at */
    uint64_t key;      /* equal for findings that are the same bug */
    int32_t line;      /* from the assertion itself; 0: to be found from pc */
    uint32_t step, other_step; /* the operations it is about, + 1; 0: none in particular */
    uint32_t circle_count;
    /* of a predicted deadlock, each takes what the next one holds: the steps + 1; 0: what tid is about to do */
    uint32_t circle[RD_CIRCLE_MAX];
    struct rd_heap_fact heap;
    /* of a data race one side of which is a call: the memory that both touch, and who writes it (RD_RACE_*_WRITES)
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
 * A misuse after which the execution goes on, as the program does without Raddle: a thread has ended with a mutex
 * locked. What comes of that is a finding of its own.
 */
struct rd_noted {
    uint64_t key;
    rd_place pc;    /* where it locked it */
    uint32_t steps; /* of the execution, up to the end of the thread */
    rd_tid tid;
    uint16_t pad;
};
struct rd_finding rd_noted_finding(const struct rd_noted *n);

/*
 * What is known of a stored finding beyond its execution: how much simpler that became (explore/minimise.h), and
 * what decides it (explore/explain.h). Steps are numbers + 1 in the schedule; 0: none.
 */
struct rd_why {
    uint32_t minimised;   /* 1: that was tried */
    uint32_t proved;      /* 1: no execution with fewer preemptions shows it */
    uint32_t preemptions; /* of the execution as it was found */
    uint32_t switches, steps;
    uint32_t executions; /* that were run for all this */
    uint32_t explained;  /* 1: the rest is known */
    uint32_t critical; /* the step after which every execution fails, and before which one passed; 0: none passed */
    uint32_t tried, all; /* executions from there on that were run, and failed; 1: any other is equivalent to one */
    uint32_t first;      /* this step came before … */
    uint32_t second; /* … that one, or, if 0, one that it did not come to; the other way round it passed once */
    uint32_t before; /* what second_tid had done to the same before `first` */
    rd_tid second_tid;
    uint8_t second_op, pad; /* what the second one is */
    rd_place second_place, second_pc;
};
static_assert(sizeof(struct rd_why) == 72, "stored");

/* Why a thread cannot go on. */
enum rd_thread_state { RD_T_UNUSED, RD_T_READY, RD_T_FINISHED };

struct rd_thread_info {
    struct rd_op pending;
    rd_tid parent;
    uint16_t ordinal; /* which child of its parent, from 1 */
    uint8_t state;
    uint8_t enabled; /* at the end */
    rd_tid holder;   /* who holds what it waits for, or RD_TID_NONE */
    uint16_t frames; /* length of its stack in the record's stacks */
    char name[16];
    uint8_t frames_final; /* the stack is of the moment of the finding, not of the last operation */
    uint8_t pad;
    uint32_t held_step; /* step at which the holder took it, +1; 0: before the first step */
    rd_place held_pc;   /* where the holder took it */
};
static_assert(sizeof(struct rd_thread_info) == 112, "stored");

/* A thread's number for its position in the tree of creations. Number 0 is main. */
struct rd_thread_path {
    rd_tid parent;
    uint16_t ordinal;
};

struct rd_divergence {
    uint32_t step;
    rd_tid tid;   /* the thread that was to go on, or the one that did */
    uint16_t why; /* enum rd_divergence_why */
    struct rd_choice expected;
    struct rd_op actual; /* its pending operation; kind NONE: it has none */
};

enum rd_divergence_why {
    RD_DIV_NO_THREAD = 1, /* the thread of the plan does not exist or is finished */
    RD_DIV_BLOCKED,       /* it cannot go on */
    RD_DIV_OPERATION,     /* it is about to do something else */
    RD_DIV_OTHERS,        /* its own operation fits, another thread's does not */
    RD_DIV_VALUE,         /* a choice inside an operation where a thread was expected, or the other way round */
    RD_DIV_EARLY,         /* the execution ended before the prefix did */
};

struct rd_outcome {
    uint32_t verdict;
    uint32_t steps, cands; /* how much of the record's arrays is filled */
    uint32_t points;       /* steps with more than one candidate */
    uint32_t preemptions;
    uint32_t threads; /* highest thread number + 1 */
    uint32_t alive_max;
    uint64_t cpu_ns; /* of its process, when it came to its end */
    uint64_t passed; /* accesses that were no points, where the plan does not ask for all */
    uint32_t prefix_used;
    uint32_t retried;   /* steps before a thread came round alone, having changed something; 0: none did */
    uint8_t fair_tail;  /* the fair tail took over: the rest was not explored */
    uint8_t fairness;   /* the fairness rule held a thread back at least once */
    uint8_t started;    /* a second thread was created */
    uint8_t exiting;    /* exit was called */
    uint8_t over_bound; /* it was cut because of the plan's bound on preemptions */
    uint8_t cancel_any; /* a thread could be cancelled between any two of its instructions */
    uint8_t focused;    /* an operation was in focus (rd_engine_focus) */
    uint8_t wrote;      /* a thread wrote to standard output beside the stream */
    uint8_t atomic;     /* others were held back while a thread was between raddle_atomic_begin and _end */
    uint8_t limited;    /* it was cut at the limit of steps, and got on until then */
    uint8_t files; /* a thread used a file on disk, or opened or closed a descriptor, while there were others */
    int32_t exit_status;
    rd_tid exit_tid;         /* who called it */
    uint16_t waited_outside; /* its course depends on what came from outside the program */
    uint16_t children;       /* it started another process, which is not controlled */
    uint16_t unseen;         /* bits of enum rd_unseen: what happened without an operation that could be seen */
    uint16_t clock_read;     /* it read a clock while there were other threads */
    rd_place exit_pc;        /* and where */
    rd_place unseen_pc;      /* RD_REFUSED: in the code that is not seen; 0: not known */
    uint64_t class_hash[2];  /* happens-before class: 128-bit hash, independent of the order of commuting steps */
    uint32_t known_count;    /* errors of the heap that the user knows: it went on after them */
    uint64_t known[RD_KNOWN_MAX]; /* their keys, as far as there is room */
    uint32_t noted_count;
    struct rd_noted noted[RD_NOTED_MAX];
    struct rd_divergence divergence;
    struct rd_finding finding;
    char message[512]; /* for RD_REFUSED */
};

/* The arrays of one execution, wherever they are: in shared memory for real programs, anywhere for simulated ones.
 */
struct rd_record {
    struct rd_outcome *out;
    struct rd_step *steps;
    rd_tid *cands;                  /* candidates of step i: cands[steps[i].cand], ncand of them, ascending */
    struct rd_thread_info *threads; /* RD_TID_MAX */
    const struct rd_choice *prefix; /* of the plan */
    const rd_tid *sleep;            /* of the plan */
    const struct rd_weight *weight; /* of the plan, by thread: as many as its picker is told to read */
    const struct rd_track *track;   /* of the plan */
    struct rd_profile *profile;     /* of all executions that were told to profile; see profile.h */
    const struct rd_annotation *annotations; /* what the program has said of its memory by the end */
    uint32_t annotation_count;
    const struct rd_cxx20 *cxx20; /* code in C++20 or later; NULL: none is known */
    bool inline_atomics;          /* the program has code that may synchronise without any hook */
    const struct rd_module *modules;
    uint32_t module_count;
    uint32_t steps_max, cands_max;
    uint64_t (*step_stacks)[RD_STEP_STACK]; /* by step, in detail mode; else NULL */
    uint64_t (*stacks)[RD_STACK_MAX];       /* by thread, in detail mode; else NULL */
};

#endif
