/*
 * state.h - the state of the runtime in this process, `rd_rt`.
 *
 * Only the thread that holds the baton, the right to run, uses rd_rt and the memory that it refers to, so no lock
 * is needed. Signal handlers of the runtime first find out whether they have interrupted that thread.
 *
 * rd_rt belongs to the execution: a snapshot restores it after an execution, with the program's memory. State that
 * must outlive an execution is in the channel or in struct rd_kept (isolate/kept.h).
 */
#ifndef RD_RT_STATE_H
#define RD_RT_STATE_H

#include "channel/channel.h"
#include "engine/engine.h"
#include "rt/thread/backend.h"

/*
 * The module in which the last address was found; the next one is mostly in the same module. Never this library,
 * whose objects have no places.
 */
struct rd_place_near {
    uint64_t start, size;     /* the module's part of the address space */
    uint64_t base;            /* its load address */
    rd_place first;           /* the place of `base` */
    struct rd_module *module; /* its entry in the channel */
};

struct rd_rt {
    /* How far this process is. */
    bool on;       /* the program runs under control */
    bool threaded; /* the checkpoint has been passed: a second thread was created */
    bool ending;   /* a verdict has been reached */
    bool snapshot; /* executions run in the explorer's process (isolate/snapshot.h) */

    /* Read or written in each step. */
    uint32_t exit_work; /* functions that the program has registered to be called at its end */
    struct rd_channel *channel;
    const struct rd_backend_ops *backend;
    struct rd_place_near near;
    struct rd_sharing_use
        sharing;                 /* which version of shared memory is in use; version 0: every access is a point */
    uint64_t passed;             /* accesses of all threads that were no points, in multiples of sharing.patience */
    struct rd_race_watch *races; /* NULL: silent accesses are not checked for races (access/race_watch.h) */
    bool all_accesses;           /* plain accesses are seen; they are points, but for what `sharing` says */
    bool only_raced;       /* with `sharing`: plain accesses are points where they race, and every atomic is one */
    bool detail;           /* values and stacks are recorded */
    bool debugged;         /* a debugger runs the process (debugger.h) */
    bool heap_checks;      /* hooks look for misuse of the heap */
    bool heap_stacks;      /* the stacks of allocations and frees are kept */
    bool heap_marks;       /* the heap's shadow is kept, for the checks or to find leaks */
    struct rd_arena arena; /* the execution's memory */
    struct rd_engine engine; /* ends with the picker's state, which is large: after the fields that change often */

    /* Changes rarely. */
    struct rd_vthread *threads[RD_TID_MAX]; /* by number; NULL: there was no such thread yet */
    int (*main)(int, char **, char **);     /* the program's */
    char first_name[16];                    /* the kernel's name of the first thread: all unnamed threads have it */
    int output_fd;                          /* the driver's file for the program's standard output */
    int error_fd;                           /* … and for its standard error, where that is another file; else 0 */
    bool traps; /* system calls by inline assembly of the program raise SIGSYS (inline_syscalls.h) */
};
static_assert(offsetof(struct rd_rt, threaded) == 1, "known to entry_*.S and call_*.S");
extern struct rd_rt rd_rt;

/*
 * Notes that the program changes an object that all its processes share: it writes a file, or binds an address.
 * Several workers that run the program at the same time would disturb each other.
 */
static inline void rd_rt_outside(void) {
    if (rd_rt.channel)
        rd_rt.channel->live.outside = 1;
}

#endif
