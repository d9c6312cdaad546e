/*
 * channel.h - the memory that the driver shares with the tested processes. This header is the whole contract
 * between them: bump RD_CHANNEL_VERSION with any change of layout or meaning.
 *
 * The driver creates it (a memfd), fills in `config`, and starts the program with RADDLE_CHANNEL naming it.
 * The choice of every step is in `steps` before the chosen thread runs, so an abort, a crash or a kill leaves
 * the whole schedule behind. Large arrays follow the header at the offsets given there; pages that are never
 * touched cost nothing.
 */
#ifndef RD_CHANNEL_CHANNEL_H
#define RD_CHANNEL_CHANNEL_H

#include "trace/claim.h"
#include "trace/code_ranges.h"
#include "trace/module.h"
#include "trace/sharing.h"
#include "trace/types.h"

#include <signal.h>

#define RD_CHANNEL_MAGIC 0x31656c6464617264u /* "draddle1" */
enum { RD_CHANNEL_VERSION = 34, RD_FOUND_MAX = 64 };
/* Pieces of memory that the program says something of, and values that it lets observe, in one execution. */
enum { RD_ANNOTATIONS_MAX = 1024, RD_OBSERVED_MAX = 256 };
/*
 * Different endings of executions that are kept, bytes of an output that are compared, those of each that are kept,
 * and room for all of them.
 */
enum { RD_ENDINGS_MAX = 512, RD_OUTPUT_MAX = 1 << 20, RD_OUTPUT_KEPT = 1 << 16, RD_TEXTS_MAX = 8 << 20 };
/* The hub of several workers, and the memory of the search: numbers of their descriptors in a tested process. */
enum { RD_HUB_FD = 1002, RD_SEARCH_FD = 1003, RD_EXTENTS_FD = 1004, RD_SHARING_FD = 1005 };
/* The table of extents (extents.h) has the same address in all processes of a search, the driver included. */
#define RD_EXTENTS_AT 0x0e7000000000u
enum { RD_EXTENTS_SIZE = 64 << 20 };
/* Orders of events that one of several workers writes down, for their number to be counted. */
enum { RD_CLASSES_LOGGED = 1 << 26 };
/* Rows of --coverage that are kept, and states that are told apart. */
enum { RD_SAMPLES_MAX = 1 << 16, RD_STATES_MAX = 1 << 23 };

/* The driver's watchdog sends this to an execution that has taken too long. */
#define RD_WATCHDOG_SIGNAL (SIGRTMAX - 3)

enum rd_mode {
    RD_MODE_ONE,     /* run the plan in place, in this process, once */
    RD_MODE_EXPLORE, /* at the first thread creation become the explorer: search, a forked child an execution */
};
/* What keeps executions apart. Auto: the first of the others that can, and the explorer says why not an earlier
 * one.
 */
enum rd_isolation { RD_ISOLATION_AUTO, RD_ISOLATION_SNAPSHOT, RD_ISOLATION_FORK, RD_ISOLATION_EXEC };
enum rd_backend { RD_BACKEND_VIRTUAL, RD_BACKEND_KERNEL };
/* AUTO: accesses to memory that threads share (sharing.h); SHARED: the same, of a schedule that names that memory.
 */
enum rd_points { RD_POINTS_AUTO, RD_POINTS_SYNC, RD_POINTS_ALL, RD_POINTS_SHARED };
/* Where an execution has the table of shared memory from. OFF: every access is a point. */
enum rd_sharing_from { RD_SHARING_OFF, RD_SHARING_SEARCH, RD_SHARING_REPLAY };

struct rd_config {
    uint32_t mode, backend, points;
    uint32_t steps_max;  /* an execution that takes more is cut there, or a hang if it does not get on */
    uint32_t fair_after; /* after so many steps the fair tail takes over in any case */
    uint32_t yields;     /* only every so manieth yield of a loop counts for fairness; 0 is as 1 */
    uint8_t detail;      /* record values and stacks */
    uint8_t debugger;    /* stop at the finding instead of ending the process */
    uint8_t strict;      /* the plan is a recorded execution: it must fit to its end */
    uint8_t keep_going;
    uint8_t spurious;       /* condition waits may wake without a signal */
    uint8_t timeouts;       /* timed waits that may give up in one execution although others could go on */
    uint8_t signal_fifo;    /* a signal wakes the first waiter, it is not a choice */
    uint8_t isolation;      /* enum rd_isolation */
    uint8_t coverage;       /* fill the samples and count states */
    uint8_t focus;          /* preemptions only at the ranges of RD_NAMES_FOCUS_* */
    uint8_t outcomes;       /* count different endings of executions */
    uint8_t expect_output;  /* another output than the expected one is a finding */
    uint8_t separate;       /* standard output is a file of its own, not that of standard error, and is read */
    uint8_t void_main;      /* main() returns nothing: what is in the register then is no exit status */
    uint8_t no_atomic;      /* the strategy cannot do with raddle_atomic_begin */
    uint8_t timing;         /* measure the parts of an execution */
    uint8_t variables;      /* blocks of the heap are recorded in the profile */
    uint8_t outlives;       /* the driver holds the memory of the search (RD_SEARCH_FD) */
    uint8_t inline_atomics; /* code of the program may synchronise without any hook: no race is certain */
    uint8_t sharing;        /* enum rd_sharing_from */
    uint8_t resumes;        /* the search of a process that has died goes on in this one (explore/resume.h) */
    uint32_t detect;        /* bits of the detectors that look at each execution */
    uint32_t workers;       /* that search together (search/team/team.h); 0 and 1: this one alone */
    uint32_t seat;          /* which of them this one is */
    uint32_t heap_known;    /* a replay: every error of the heap was known but the one with this key */
    uint64_t heap_wanted;
    uint64_t noted_wanted;      /* the execution ends at what has this key and would else only be noted */
    uint32_t fail_on_predicted; /* a predicted deadlock is a bug, too, when no execution shows it */
    int32_t expect_status;
    uint64_t seed;
    uint64_t executions_max; /* 0: no limit */
    uint64_t time_max_ns;    /* of the search; 0: no limit */
    uint64_t deadline_ns;    /* the moment at which all is to be over, by the loop's clock; 0: none */
    uint64_t minimise_ns;    /* to make schedules simpler and explain them, all together; 0: they stay as found */
    uint64_t minimise_max;   /* … and executions */
    uint64_t memory_max;     /* bytes that the search may use; 0: no limit */
    char strategy[512];
    uint32_t range_count;
    struct rd_range ranges[RD_RANGES_MAX];
    struct rd_cxx20 cxx20;
};

/* A finding that is no bug yet: a deadlock that is only predicted, a race that unseen code may rule out. */
static inline bool rd_is_warning(const struct rd_config *c, const struct rd_finding *f) {
    return (f->kind == RD_PREDICTED_DEADLOCK && !c->fail_on_predicted) || rd_is_unreliable(f);
}

/* A finding with the execution that showed it; its steps are in the store. */
struct rd_found {
    struct rd_finding finding;
    uint64_t execution;
    uint64_t store;                /* index of the first step in the store */
    struct rd_sharing_use sharing; /* that it was run with */
    uint32_t access_points;        /* enum rd_access_points */
    uint32_t yields;               /* of its plan */
    uint32_t track, track_count;   /* what its plan tracked, in the store of those */
    uint32_t confirmed;            /* another one shows that this prediction was right */
    uint32_t steps, preemptions, threads;
    uint32_t count;      /* how often it was seen */
    uint32_t heap_known; /* the execution went on after errors of the heap that the user knows */
    struct rd_why why;
};

/* A value of raddle_observe. */
struct rd_observed {
    int64_t value;
    rd_tid tid;
    uint16_t pad[3];
    char name[48];
};

/* What executions ended with, for --outcomes. */
struct rd_ending {
    uint64_t key, count;
    uint64_t text;         /* in the texts: as much of the output as is kept, then what was observed */
    uint64_t output_total; /* bytes that were printed */
    uint32_t output_size, observed_size;
    int32_t status;
    uint32_t ended;        /* by itself: output and status count */
    struct rd_found found; /* the first execution that ended so; count 0: there was no room for its schedule */
};

enum rd_end {
    RD_END_NONE,     /* the search is still going on */
    RD_END_COMPLETE, /* nothing left to run */
    RD_END_BUDGET,   /* executions or time used up */
    RD_END_FOUND,    /* stopped at a finding */
    RD_END_TROUBLE,  /* see trouble */
    RD_END_STOPPED,  /* the driver asked */
    RD_END_MEMORY,   /* the search's memory is used up, and it cannot do with less */
    RD_END_NO_FORK,  /* auto isolation: fork cannot isolate this program; see message */
    RD_END_AGAIN,    /* memory turned out to be shared: the driver begins the search again */
};

/* What was in play in some execution: a claim names the conditions that come with it. */
enum rd_played {
    RD_PLAYED_TIMED = 1,  /* waits with a deadline */
    RD_PLAYED_WAITS = 2,  /* condition variables */
    RD_PLAYED_CLOCK = 4,  /* a clock was read while there were other threads */
    RD_PLAYED_WRITE = 16, /* a thread wrote to standard output without its stream: nothing orders that */
    RD_PLAYED_TRACK = 8,  /* only the accesses to some variables were points */
    RD_PLAYED_FILES = 32, /* numbers of new descriptors, which no operation stands for */
};

/* A function of which nothing is known, so that a call of it depends on everything (rt/call/call.h). */
enum { RD_OPAQUE_MAX = 64 };
struct rd_opaque {
    rd_place function;
    uint64_t calls; /* that were operations, in all executions */
};

/* What the search has to say; written by whoever runs the loop. */
struct rd_summary {
    uint32_t end;       /* enum rd_end */
    uint32_t trouble;   /* verdict that ended it: RD_DIVERGED or RD_REFUSED */
    rd_place unseen_pc; /* of trouble: in the code that is not seen; 0: not known */
    uint64_t executions, steps, points;
    uint64_t orders;         /* distinct happens-before classes */
    uint64_t classes_logged; /* entries of the log of orders */
    uint64_t idle_ns;        /* that a worker of several has waited for others to give it something */
    uint64_t findings;       /* executions that ended with one */
    uint64_t confirming;     /* executions that were run to show what was predicted; not counted otherwise */
    uint64_t minimising,
        minimise_ns;   /* executions that made schedules simpler, and their time; not counted either */
    uint64_t learning; /* executions that were run to see what memory is shared; the same */
    uint32_t restarts; /* times that the search began again because memory turned out to be shared */
    uint32_t earlier;  /* executions have come to their end before it began again */
    uint64_t probes;   /* executions that were run to see whether threads keep each other going round; the same */
    uint64_t fair_tails, fairness;
    uint64_t dropped;        /* executions in which an assumption does not hold */
    uint64_t atomic;         /* executions in which raddle_atomic_begin held somebody back */
    uint64_t cut;            /* executions that were ended by their plan: nothing new could follow */
    uint64_t suppressed;     /* findings that --suppress or the program itself says are known, distinct ones */
    uint64_t unstored;       /* findings whose schedule was not kept: there was no room for more */
    uint64_t children;       /* executions that started another process */
    uint64_t waited_outside; /* executions that depend on what came from outside the program */
    uint64_t hangs;          /* executions that were ended at the limit of steps or time, and did not get on */
    uint64_t limited;        /* executions that were cut at the limit of steps, and did */
    uint64_t selective,
        selective_checked;     /* executions with code switched off, and those that were run again with all on */
    uint64_t unwatched;        /* … that went on for ever, or another way, because of it */
    uint32_t sites_off;        /* places in the code that were switched off, at most */
    uint32_t sites_missed;     /* … and touched what was tracked all the same */
    uint32_t sites_fixed;      /* could not be switched off */
    uint32_t sites_unrepaired; /* times that executions before that count as they are */
    uint32_t played;           /* enum rd_played */
    uint32_t focused;          /* 1: in some execution an operation was in focus */
    uint64_t memory;           /* bytes that the search has used */
    uint64_t preemptions[RD_PREEMPTION_COUNTS]; /* executions by preemptions */
    uint64_t classes_by[RD_PREEMPTION_COUNTS];  /* orders by the fewest preemptions of an execution of theirs */
    uint32_t threads_max, steps_high, preemptions_max;
    uint32_t unseen;      /* bits of enum rd_unseen, of all executions */
    uint32_t found_count; /* entries of found[] */
    uint64_t store_used;
    uint32_t ending_count; /* of the endings */
    uint32_t repeated;     /* executions that were run twice, and were the same */
    uint64_t endings_lost; /* executions with others, when there was no room */
    uint64_t texts_used;
    uint32_t track_store_used;
    uint32_t recalled; /* a finding is of an execution that was run to see what memory is shared */
    uint64_t elapsed_ns;
    uint64_t cpu_ns_min; /* of the execution with the least; 0: none was measured */
    struct rd_divergence divergence;
    uint64_t divergence_execution;
    struct rd_claim claim;
    struct rd_coverage coverage;
    char message[512];
    char no_snapshot[192]; /* why executions have a process each; "": they do not, or were not meant not to */
    struct rd_opaque opaque[RD_OPAQUE_MAX];
    uint32_t opaque_count, pad5;
    uint64_t opaque_others;      /* calls of further ones, for which there was no room */
    uint64_t digest;             /* of all executions, in their order: what each was and how it ended */
    uint64_t pages;              /* that were put back after executions */
    uint64_t run_ns, restore_ns; /* with config.timing: in executions, and putting back */
    uint64_t spared,
        checkpoints; /* steps that need not be run again, because of so many checkpoints within executions */
    uint32_t broken; /* the program has written into the search's memory: nothing here counts */
    uint32_t pad4;
};

/* What a search is doing, for when its process dies (explore/resume.h). */
enum rd_phase {
    RD_PHASE_SEARCH, /* its memory may be in the middle of a change */
    RD_PHASE_RUN,    /* nothing but the execution that is in the channel */
    RD_PHASE_WAIT,   /* nothing: it waits for others */
    RD_PHASE_TOLD,   /* it is over, and all that it has to say is said */
};

/* Why the driver wants the search to end. */
enum rd_stop { RD_STOP_NOT, RD_STOP_SIGNAL, RD_STOP_TIME };

/* Where an execution was when the watchdog looked; before it is sent the signal, which would end the call. */
struct rd_task_state {
    uint32_t how; /* enum rd_task_state_how */
    uint32_t pad;
    int64_t number; /* of the system call */
    uint64_t first; /* its first argument */
    char text[192]; /* the call in words: "read(5) from a pipe" */
};
enum rd_task_state_how {
    RD_TASK_UNKNOWN,
    RD_TASK_RUNNING, /* it runs, and has taken no step for long */
    RD_TASK_BUSY,    /* it runs and takes steps */
    RD_TASK_CALL,    /* blocked in a system call */
};

struct rd_channel {
    uint64_t magic;
    uint32_t version, header_size;
    uint64_t size;
    /* offsets of the arrays from the start of the channel */
    uint64_t prefix_at, sleep_at, weight_at, track_at, profile_at, track_store_at, steps_at, cands_at, threads_at,
        step_stacks_at, stacks_at, store_at, samples_at, suppress_at, endings_at, texts_at, output_at, expected_at,
        orders_at, rules_at, shared_at;
    uint64_t rules_size;   /* bytes of the rules' text (sync_rules.h), with its end */
    uint64_t shared_count; /* of a replay: what its schedule says is shared */
    uint64_t prefix_max, steps_max, cands_max, store_max, samples_max, suppress_count; /* in items */
    struct rd_config config;
    struct rd_plan plan;
    struct rd_sharing_use sharing; /* of the executions that are run now */
    uint64_t output_size;          /* of the execution's standard output; at most RD_OUTPUT_MAX of it is there */
    uint64_t expected_size;        /* of --expect-output */
    uint64_t flushed_from; /* detail mode: what the program's file of output holds from here on was not flushed by
                              the program when it ended (0: all of it, or nothing) */

    /* live state, for the driver's watchdog */
    uint32_t attached; /* the runtime found the channel */
    uint32_t stop;     /* enum rd_stop, set by the driver: end the search after this execution */
    uint32_t outside;  /* it opened a file to write, or took an address: another one beside it might disturb it */
    uint32_t beats;    /* changes as long as the search goes on, also while it waits for others */
    int32_t explorer_pid, execution_pid;
    uint64_t sequence; /* number of the execution that is running, from 1 */
    uint32_t shot_by_watchdog;
    rd_tid running;       /* thread that is running now */
    uint16_t abandoned;   /* the driver has killed the execution because the search is to stop */
    int32_t running_task; /* its number in the kernel, where that is not the process's */
    struct rd_task_state stuck;
    uint32_t phase;      /* enum rd_phase */
    uint32_t redo_steps; /* of the execution that a process died in: it is to begin so again … */
    uint64_t redo;       /* … as rd_channel_walk says */

    /* the same in all executions */
    uint32_t module_count;
    uint32_t path_count;
    uint32_t calls_unseen; /* calls out of instrumented code are not seen, or not all of them */
    uint32_t pad3;
    struct rd_module modules[RD_MODULES_MAX];
    struct rd_thread_path paths[RD_TID_MAX];

    /* what the program said so far; before the checkpoint: in every execution that is forked from there */
    uint32_t annotation_count, annotation_kept, observed_count, observed_kept;
    struct rd_annotation annotations[RD_ANNOTATIONS_MAX];
    struct rd_observed observed[RD_OBSERVED_MAX];

    struct rd_outcome outcome;
    struct rd_summary summary;
    struct rd_found found[RD_FOUND_MAX];
    struct rd_found learned; /* of an execution that nobody counted (explore/loop_sharing.c); count 0: none */
};

struct rd_channel_size {
    uint64_t steps, store, samples, suppress, shared;
    uint64_t rules; /* bytes */
    bool outcomes;  /* room for outputs and endings */
    bool orders;    /* … and for the log of orders */
    bool detail;
};

/* What a search ends with that the driver has stopped. */
static inline enum rd_end rd_end_of_stop(const struct rd_channel *c) {
    return c->stop == RD_STOP_TIME ? RD_END_BUDGET : RD_END_STOPPED;
}

/* Bytes needed; fills in the offsets of a header of that shape. */
uint64_t rd_channel_layout(struct rd_channel *c, const struct rd_channel_size *size);
/* A process-local view of the arrays. */
struct rd_record rd_channel_record(struct rd_channel *c);
struct rd_choice *rd_channel_prefix(struct rd_channel *c);
rd_tid *rd_channel_sleep(struct rd_channel *c);
struct rd_weight *rd_channel_weight(struct rd_channel *c);
struct rd_track *rd_channel_track(struct rd_channel *c);
struct rd_track *rd_channel_track_store(struct rd_channel *c);
struct rd_profile *rd_channel_profile(struct rd_channel *c);
struct rd_step *rd_channel_store(struct rd_channel *c);
struct rd_sample *rd_channel_samples(struct rd_channel *c);
struct rd_range *rd_channel_suppress(struct rd_channel *c);
struct rd_shared *rd_channel_shared(struct rd_channel *c);
/* The rules for foreign functions, as lines (sync_rules.h); "" without any. */
char *rd_channel_rules(struct rd_channel *c);
/* NULL where the channel was not made for it. */
struct rd_logged_class *rd_channel_class_log(struct rd_channel *c);
/* Only where the channel was made for them. */
struct rd_ending *rd_channel_endings(struct rd_channel *c);
char *rd_channel_texts(struct rd_channel *c);
char *rd_channel_output(struct rd_channel *c);
char *rd_channel_expected(struct rd_channel *c);
/* NULL when it is one that this build can talk to, else what is wrong with it. */
const char *rd_channel_check(const struct rd_channel *c, uint64_t size);
/* A hash of what the first `count` steps of the execution in the channel were chosen to be. */
uint64_t rd_channel_walk(struct rd_channel *c, uint32_t count);
/* Clears the outcome of the last execution. */
void rd_channel_reset(struct rd_channel *c);
/* The verdict of an execution whose process ended without one, from its wait status. */
void rd_outcome_by_status(struct rd_channel *c, int status);

#endif
