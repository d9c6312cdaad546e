/*
 * config.h - what a command asks of a search or a replay. The command line fills in a configuration, the driver
 * completes it and copies it into the channel before it starts the program. The tested process only reads it: the
 * runtime maps it without write permission.
 */
#ifndef RD_TRACE_CONFIG_H
#define RD_TRACE_CONFIG_H

#include "trace/code_ranges.h"
#include "trace/types.h"

enum rd_mode {
    RD_MODE_ONE,     /* run the plan in place, in this process, once */
    RD_MODE_EXPLORE, /* at the first thread creation become the explorer and run the search */
};
/*
 * What keeps executions apart. With AUTO the explorer takes the first of the others that works for the program, and
 * says why each earlier one does not.
 */
enum rd_isolation { RD_ISOLATION_AUTO, RD_ISOLATION_SNAPSHOT, RD_ISOLATION_FORK, RD_ISOLATION_EXEC };
enum rd_backend { RD_BACKEND_VIRTUAL, RD_BACKEND_KERNEL };
/*
 * Which operations are points beside synchronisation. AUTO: accesses to memory that threads share (sharing.h).
 * SHARED: the same, where a schedule file lists that memory. SYNC: none; or, with the table of shared memory, those
 * to memory where accesses raced. RACED: the same, where a schedule file lists that memory.
 */
enum rd_points { RD_POINTS_AUTO, RD_POINTS_SYNC, RD_POINTS_ALL, RD_POINTS_SHARED, RD_POINTS_RACED };
/* Where an execution has the table of shared memory from. OFF: every access is a point, or with SYNC none. */
enum rd_sharing_from { RD_SHARING_OFF, RD_SHARING_SEARCH, RD_SHARING_REPLAY };

struct rd_config {
    /* how the program runs */
    uint32_t mode, backend, points; /* enum rd_mode, rd_backend, rd_points */
    uint32_t steps_max;     /* the engine cuts an execution here, or reports a hang if it makes no progress */
    uint32_t fair_after;    /* the fair tail takes over after this many steps in any case */
    uint32_t yields;        /* fairness counts only every yields-th yield of a loop; 0 is as 1 */
    uint8_t isolation;      /* enum rd_isolation */
    uint8_t sharing;        /* enum rd_sharing_from */
    uint8_t detail;         /* record values and stacks */
    uint8_t debugger;       /* stop at the finding instead of ending the process */
    uint8_t spurious;       /* condition waits may wake without a signal */
    uint8_t timeouts;       /* timed waits that may time out in one execution although others could go on */
    uint8_t signal_fifo;    /* a signal wakes the first waiter; which waiter wakes is not a choice */
    uint8_t separate;       /* standard output is a file of its own, and the loop reads it */
    uint8_t void_main;      /* main() returns void: its return register is no exit status */
    uint8_t code_unseen;    /* a part of the program's code accesses memory without hooks */
    uint8_t inline_atomics; /* the program's code may synchronise without any hook: no race is certain */
    int32_t expect_status;  /* any other exit status is a finding */
    struct rd_cxx20 cxx20;

    /* how the search runs */
    uint8_t keep_going;         /* a finding does not stop the search */
    uint8_t coverage;           /* fill the samples, count states */
    uint8_t focus;              /* preempt only in the ranges of RD_NAMES_FOCUS_* */
    uint8_t outcomes;           /* count the different endings of executions */
    uint8_t expect_output;      /* any output but the expected one is a finding */
    uint8_t no_atomic;          /* the strategy cannot honour raddle_atomic_begin */
    uint8_t timing;             /* measure the parts of an execution */
    uint8_t variables;          /* the profile also lists blocks of the heap */
    uint8_t outlives;           /* the driver holds the memory of the search (RD_SEARCH_FD) */
    uint8_t resumes;            /* this process goes on with the search of one that died (explore/resume.h) */
    uint32_t detect;            /* bits of the detectors that look at each execution */
    uint32_t workers;           /* workers that search together (search/team/team.h); 0 and 1: this one alone */
    uint32_t seat;              /* the number of this worker among them */
    uint32_t fail_on_predicted; /* a predicted deadlock is a bug even if no execution shows it */
    uint64_t seed;
    uint64_t executions_max; /* 0: no limit */
    uint64_t time_max_ns;    /* of the search; 0: no limit */
    uint64_t deadline_ns;    /* when the whole command is to be over, by the loop's clock; 0: no deadline */
    uint64_t minimise_ns;    /* time to simplify and explain schedules, all together; 0: they stay as found */
    uint64_t minimise_max;   /* executions for the same */
    uint64_t memory_max;     /* bytes that the search may use; 0: no limit */
    char strategy[512];
    uint32_t range_count;
    struct rd_range ranges[RD_RANGES_MAX];

    /* what a replay looks for */
    uint32_t heap_known; /* the user knew every heap error of the recorded execution but the one with this key */
    uint64_t heap_wanted;
};

/* Are accesses to memory seen at all? */
static inline bool rd_config_sees_accesses(const struct rd_config *c) {
    return c->points != RD_POINTS_SYNC || c->sharing != RD_SHARING_OFF;
}
/* Are accesses points only where they race? Others are checked for races (sharing.h). */
static inline bool rd_config_checks_accesses(const struct rd_config *c) {
    return (c->points == RD_POINTS_SYNC || c->points == RD_POINTS_RACED) && c->sharing != RD_SHARING_OFF;
}

/* Is this finding a warning only: a predicted deadlock, or a race that unseen code may rule out? */
static inline bool rd_is_warning(const struct rd_config *c, const struct rd_finding *f) {
    return (f->kind == RD_PREDICTED_DEADLOCK && !c->fail_on_predicted) || rd_is_unreliable(f);
}

#endif
