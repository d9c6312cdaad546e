/*
 * types.h - the data model that every part shares: operations, steps, choices, plan, outcome, finding.
 *
 * Glossary
 *   execution   one run of the program, from the checkpoint to its end, under one schedule
 *   operation   an action of a thread that other threads can observe (struct rd_op); a thread's *pending* operation
 *               is its next one
 *   point       the moment before an operation at which the engine chooses the thread that goes on
 *   candidate   a pending operation that is enabled at a point (struct rd_cand)
 *   choice      the candidate that was taken at a point, or the way in which its operation completed
 *               (struct rd_choice)
 *   way         one of several ways in which an operation can complete, such as the waiter that a signal wakes; the
 *               choice of a way is a VALUE step
 *   step        an operation that was performed, with the choice that let it happen (struct rd_step)
 *   plan        all that one execution needs: a prefix of choices, then a picker with its seed (struct rd_plan)
 *   record      all that the engine writes down during an execution (struct rd_record)
 *   outcome     the result of an execution: verdict, finding, class (struct rd_outcome)
 *   place       an address as a name that is the same in every execution (place.h)
 *   fingerprint the hash of the candidates of a point
 *
 * Structures with a static_assert on their size are stored in shared memory: whoever changes one changes
 * RD_CHANNEL_VERSION, too.
 */
#ifndef RD_TRACE_TYPES_H
#define RD_TRACE_TYPES_H

#include "trace/finding.h"
#include "trace/step.h"

/*
 * One element of a plan's prefix: the choice to take, and what must be true when it is taken. A *sparse* prefix has
 * only the steps that differ from the picker's choice, each with its number; their operations are not compared.
 */
struct rd_choice {
    rd_place place;
    union {
        rd_place pc;
        uint64_t step; /* of a sparse prefix: number of the step */
    };
    uint32_t fp;   /* expected fingerprint; 0: not compared */
    uint16_t pick; /* the thread, or the index of the way for a VALUE step */
    uint8_t op;    /* expected kind of its operation; NONE: not compared (an alternative that was never taken) */
    uint8_t pad;
};
static_assert(sizeof(struct rd_choice) == 24, "stored");

/* Turns the steps of an execution into the prefix of a plan that repeats the first `count` of them. */
void rd_choices_of_steps(struct rd_choice *to, const struct rd_step *steps, uint32_t count);

/* Which plain accesses to memory are points. Synchronisation and atomic accesses always are. */
enum rd_access_points {
    RD_ACCESSES_ALL,             /* all of them */
    RD_ACCESSES_TRACKED,         /* accesses to memory that the plan tracks */
    RD_ACCESSES_SELECTIVE,       /* as TRACKED; the hooks of code that touches no tracked memory are switched off */
    RD_ACCESSES_PROFILE,         /* as AFTER with nothing tracked; the record's profile counts the accesses */
    RD_ACCESSES_AFTER,           /* as TRACKED, and the first access of a thread after a tracked access or after an
                                    operation that is no access */
    RD_ACCESSES_SELECTIVE_AFTER, /* as AFTER; the hooks of code that makes no such access are switched off */
    RD_ACCESSES_COUNT
};

static inline bool rd_accesses_selective(unsigned w) {
    return w == RD_ACCESSES_SELECTIVE || w == RD_ACCESSES_SELECTIVE_AFTER;
}
static inline bool rd_accesses_after(unsigned w) { return w >= RD_ACCESSES_PROFILE && w < RD_ACCESSES_COUNT; }
/* Returns the enumerator with the same points as `w`, without a profile and without switched off code. */
static inline uint8_t rd_accesses_again(unsigned w) {
    return w == RD_ACCESSES_ALL ? RD_ACCESSES_ALL : rd_accesses_after(w) ? RD_ACCESSES_AFTER : RD_ACCESSES_TRACKED;
}

/* A piece of memory that a plan tracks: a variable, an object, or a part of one. */
struct rd_track {
    rd_place first, last;
    uint32_t var; /* number of the variable that the piece belongs to, from 0 */
    uint32_t pad;
};
static_assert(sizeof(struct rd_track) == 24, "stored");
/* The most pieces that one plan can track, and that all stored findings together can have. */
enum { RD_TRACKS_MAX = 4096, RD_TRACKS_STORED = 4 * RD_TRACKS_MAX };

/* All that one execution needs: the choices of its beginning, a picker for the rest, and restrictions. */
struct rd_plan {
    uint32_t prefix_count;
    uint32_t picker; /* index in the pickers' table */
    uint64_t seed;
    uint32_t steps_max_cut; /* the engine cuts the execution (RD_CUT) after so many steps; 0: it does not */
    /*
     * The first so many threads of the record's `sleep` are asleep from the last element of the prefix on: the
     * engine does not choose a sleeping thread until a step depends on its pending operation. When only sleeping
     * threads are enabled, the execution is cut.
     */
    uint16_t sleep_count;
    uint32_t soft; /* an element of the prefix with this index or a higher one that does not fit ends the prefix
                      instead of being a divergence; 0: none */
    uint32_t preemptions_cut; /* the engine cuts the execution before the preemption with this number, counted from
                                 1, if the picker asks for it; 0: it does not */
    uint8_t strict;           /* the prefix is a whole execution: if it ends early, that is a divergence, too */
    uint8_t sparse;           /* the prefix is sparse: see struct rd_choice */
    uint8_t ask_always;       /* the picker is asked at points with one candidate, too */
    uint8_t access_points;    /* enum rd_access_points */
    uint8_t sites_on;         /* with selective access points: the hooks of all code stay on */
    uint32_t a, b;            /* parameters of the picker, if it has any */
    uint32_t yields;          /* replaces rd_config.yields in this execution, if it is larger */
    uint32_t track_count;     /* number of pieces in the record's `track`, which are sorted and do not overlap */
    uint64_t noted_wanted;    /* the execution ends at the noted finding with this key; 0: it goes on after each */
};

/* What the program declares about a piece of its memory (raddle.h, Annotate*). */
/* The most annotations of one execution. */
enum { RD_ANNOTATIONS_MAX = 1024 };
enum rd_annotation_kind { RD_ANNOTATION_NAME, RD_ANNOTATION_BENIGN };
struct rd_annotation {
    rd_place first, last;
    uint32_t kind; /* enum rd_annotation_kind */
    char name[48]; /* with RD_ANNOTATION_NAME */
    uint32_t pad;
};
static_assert(sizeof(struct rd_annotation) == 72, "stored");

/* What earlier executions tell pickers about a thread. */
struct rd_weight {
    uint32_t steps;
    rd_tid parent; /* the thread that creates it */
    uint16_t pad;
};

/* How an execution ended. */
enum rd_verdict {
    RD_RUNNING,  /* it goes on; if its process is gone, the wait status of the process tells how it ended */
    RD_PASSED,   /* the program ended as expected */
    RD_FOUND,    /* the execution shows a finding */
    RD_DIVERGED, /* the prefix did not fit: the program is not deterministic, or it is another program */
    RD_REFUSED,  /* the program did something that Raddle cannot control; `message` names it */
    RD_CUT,      /* the plan, or the limit of steps, ended it */
    RD_DROPPED,  /* an assumption of the program (raddle_assume) does not hold in it */
    RD_GIVEN_UP, /* the search was stopped while it ran: it counts for nothing */
    RD_VERDICTS,
};

/* Bits for activity of the program that Raddle does not control, as far as it notices it. */
enum rd_unseen {
    RD_UNSEEN_THREAD = 1,     /* a thread exists that no hook created */
    RD_UNSEEN_FUTEX = 2,      /* a thread was blocked at a futex outside every hook */
    RD_UNSEEN_CALL = 4,       /* a thread was blocked in another system call outside every hook */
    RD_UNSEEN_SPIN = 8,       /* a thread ran on without an operation */
    RD_UNSEEN_LIST = 16,      /* a module has a libc of its own */
    RD_UNSEEN_EXEC = 32,      /* another program replaced the process */
    RD_UNSEEN_DEATH = 64,     /* the process was killed before it could record its threads' pending operations */
    RD_UNSEEN_END = 256,      /* the process ended by a system call outside every hook */
    RD_UNSEEN_ALIAS = 512,    /* memory has a second name: a mapped file that is also read, or mremap doubled it */
    RD_UNSEEN_OUTPUT = 1024,  /* the program closed standard output and opened another file in its place */
    RD_UNSEEN_TIMER = 128,    /* a timer's signal came at one moment, and could not come at others */
    RD_UNSEEN_FAILURE = 2048, /* other threads could not go on before a failure ended the execution */
};

enum rd_thread_state { RD_T_UNUSED, RD_T_READY, RD_T_FINISHED };

/* The state of a thread at the end of an execution. */
struct rd_thread_info {
    struct rd_op pending;
    rd_tid parent;
    uint16_t ordinal; /* index among the children of its parent, from 1 */
    uint8_t state;    /* enum rd_thread_state */
    uint8_t enabled;
    rd_tid holder;   /* holder of the lock that the thread waits for, or RD_TID_NONE */
    uint16_t frames; /* length of its stack in the record's `stacks` */
    char name[16];
    uint8_t frames_final; /* the stack was taken at the finding, not at the thread's last operation */
    uint8_t pad;
    uint32_t held_step; /* step at which the holder took the lock, + 1; 0: before the first step */
    rd_place held_pc;   /* place in the code where the holder took the lock */
};
static_assert(sizeof(struct rd_thread_info) == 112, "stored");

/* A thread's position in the tree of creations; the index of the entry is the thread's number. */
struct rd_thread_path {
    rd_tid parent;
    uint16_t ordinal;
};

/* Where and why the prefix of a plan did not fit. */
struct rd_divergence {
    uint32_t step;
    rd_tid tid;   /* the thread of the choice, or the thread that made the step */
    uint16_t why; /* enum rd_divergence_why */
    struct rd_choice expected;
    struct rd_op actual; /* pending operation of the thread; kind NONE: it has none */
};

enum rd_divergence_why {
    RD_DIV_NO_THREAD = 1, /* the thread of the choice does not exist or has ended */
    RD_DIV_BLOCKED,       /* the thread is not enabled */
    RD_DIV_OPERATION,     /* the thread's pending operation is another one */
    RD_DIV_OTHERS,        /* the thread's pending operation fits, the fingerprint does not */
    RD_DIV_VALUE,         /* the choice is of a way where a thread is to be chosen, or the reverse */
    RD_DIV_EARLY,         /* the execution ended before its prefix did */
};

/*
 * The part of a thread's stack in which one call has its variables, in detail mode. Places in a stack descend with
 * the address: the part has the places below `high` and down to `low`, of addresses from the call's stack pointer
 * on.
 */
struct rd_stack_part {
    rd_place pc; /* where the call was: its return address, or that of the call that it had made */
    rd_place low, high;
    rd_place used; /* the place in this part that an operation used then */
};
enum { RD_STACK_PARTS_MAX = 1024 };

/* A block of the heap that an operation used, or that a pointer which it read or wrote leads to; in detail mode. */
struct rd_used_block {
    rd_place first;
    uint64_t size;                 /* bytes that the program asked for */
    rd_place calls[RD_HEAP_STACK]; /* the call stack of the allocation, innermost call first; 0 ends it */
};
enum { RD_USED_BLOCKS_MAX = 512 };

/* The result of one execution. */
struct rd_outcome {
    uint32_t verdict;
    uint32_t steps, cands, parts, blocks; /* numbers of entries of the record's arrays in use */
    uint32_t points;                      /* number of steps with more than one candidate */
    uint32_t preemptions;
    uint32_t blocking; /* number of steps whose operation may be disabled in some state (rd_op_may_block) */
    uint32_t threads;  /* highest thread number + 1 */
    uint32_t alive_max;
    uint64_t cpu_ns; /* processor time of its process at the end of the execution */
    uint64_t passed; /* number of accesses that were no points, if the plan does not make all accesses points */
    uint32_t prefix_used;
    uint32_t retried;   /* number of steps before a thread first completed a retry cycle (retry_cycle.h); 0: none */
    uint8_t fair_tail;  /* the fair tail took over: the rest was not explored */
    uint8_t fairness;   /* the fairness rule held a thread back at least once */
    uint8_t started;    /* a second thread was created */
    uint8_t exiting;    /* exit was called */
    uint8_t over_bound; /* it was cut at the plan's bound on preemptions */
    uint8_t cancel_any; /* a thread could be cancelled between any two of its instructions */
    uint8_t focused;    /* an operation was in focus (rd_engine_focus) */
    uint8_t wrote;      /* a thread wrote to standard output, but not through the stream */
    uint8_t atomic;     /* a thread between raddle_atomic_begin and _end held others back */
    uint8_t limited;    /* it was cut at the limit of steps, and made progress until then */
    uint8_t files;      /* a thread used a file on disk, or opened or closed a descriptor, beside other threads */
    int32_t exit_status;
    rd_tid exit_tid;         /* the thread that called exit */
    uint16_t waited_outside; /* its course depends on input from outside the program */
    uint16_t children;       /* it started another process, which is not controlled */
    uint16_t unseen;         /* bits of enum rd_unseen */
    uint16_t clock_read;     /* a thread read a clock while other threads existed */
    rd_place exit_pc;        /* place in the code of the call of exit */
    rd_place unseen_pc;      /* RD_REFUSED: place in the unseen code; 0: not known */
    uint64_t class_hash[2];  /* happens-before class: 128-bit hash, independent of the order of commuting steps */
    uint32_t known_count;    /* number of heap errors that the user declared known: the execution went on */
    struct rd_known_error known[RD_KNOWN_MAX]; /* as far as there is room */
    uint32_t noted_count;
    struct rd_noted noted[RD_NOTED_MAX];
    struct rd_divergence divergence;
    struct rd_finding finding;
    char message[512]; /* for RD_REFUSED */
};

/* The arrays of one execution. They are in shared memory for real programs, in an arena for simulated ones. */
struct rd_record {
    struct rd_outcome *out;
    struct rd_step *steps;
    rd_tid *cands; /* candidates of step i: steps[i].ncand threads from cands[steps[i].cand] on, ascending */
    struct rd_thread_info *threads; /* RD_TID_MAX entries */
    const struct rd_choice *prefix; /* of the plan, like the next three arrays */
    const rd_tid *sleep;
    const struct rd_weight *weight; /* by thread: as many entries as the plan tells its picker to read */
    const struct rd_track *track;
    struct rd_profile *profile; /* the profile of all executions with RD_ACCESSES_PROFILE; see profile.h */
    const struct rd_annotation *annotations; /* those of the program up to the end of the execution */
    uint32_t annotation_count;
    const struct rd_cxx20 *cxx20; /* code that was compiled as C++20 or later; NULL: none is known */
    bool inline_atomics;          /* the program has code that may synchronise without a hook */
    const struct rd_module *modules;
    uint32_t module_count;
    uint32_t steps_max, cands_max;
    uint64_t (*step_stacks)[RD_STEP_STACK]; /* call stack of each step, in detail mode; else NULL */
    uint64_t (*stacks)[RD_STACK_MAX];       /* call stack of each thread, in detail mode; else NULL */
    struct rd_stack_part *parts;            /* of stacks that operations used, in detail mode; else NULL */
    struct rd_used_block *blocks;           /* in detail mode; else NULL */
};

#endif
