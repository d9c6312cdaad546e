/*
 * debugger.h - what a debugger reads and writes in a process that it runs (struct rd_config.debugger), and the one
 * function in which it has a breakpoint. The commands for gdb (share/raddle/gdb) know the layout of struct
 * rd_debugger, and read it by the symbol `rd_debugger` alone: an installed library has no debug information. Any
 * change of the layout increments RD_DEBUGGER_VERSION, here and there.
 *
 * No debugger may stop the program at each step to ask whether it is the wanted one: an execution can have many
 * thousands. So the debugger writes the number of the wanted step, and the runtime compares.
 */
#ifndef RD_RT_DEBUGGER_H
#define RD_RT_DEBUGGER_H

#include "trace/types.h"

#include "rt/state.h"

enum { RD_DEBUGGER_VERSION = 1 };

/* Why the runtime has called rd_debugger_stop. */
enum rd_debugger_why {
    RD_DEBUGGER_BEGIN,    /* the process is under control, and has not reached main() */
    RD_DEBUGGER_STEP,     /* the running thread is about to do the wanted step */
    RD_DEBUGGER_FINDING,  /* the execution has reached its finding */
    RD_DEBUGGER_DIVERGED, /* the execution does not follow the schedule */
    RD_DEBUGGER_REFUSED,  /* the runtime cannot control the program */
};

struct rd_debugger_thread {
    uint64_t inside; /* address of rd_vthread.inside: while it is not 0, hooks pass straight through to libc */
    uint64_t name;   /* address of the name that the program has given it */
    int32_t task;    /* the kernel's number; 0: the thread has not begun */
    uint32_t pad;
};

struct rd_debugger {
    uint32_t version;
    uint32_t wanted; /* written by the debugger: stop before this step (from 1), or the first operation after it;
                        0: nowhere */
    uint32_t why;    /* enum rd_debugger_why, of the last stop */
    uint32_t pad;
    uint64_t steps;   /* address of the number of steps (uint32_t) that were chosen so far */
    uint64_t message; /* address of the text that says why the program was refused */
    struct rd_debugger_thread threads[RD_TID_MAX]; /* by number */
};
static_assert(sizeof(struct rd_debugger_thread) == 24 && offsetof(struct rd_debugger, threads) == 32,
              "share/raddle/gdb/raddle_process.py reads them");
extern struct rd_debugger rd_debugger;

/* The debugger has a breakpoint here. */
void rd_debugger_stop(void);
/* The library has taken the process under control. Makes the first stop if a debugger runs it. */
void rd_debugger_begin(void);
/* Called by each kernel thread of the program when it begins. No effect without a debugger. */
void rd_debugger_thread(const struct rd_vthread *v);
void rd_debugger_stop_for(enum rd_debugger_why why);
/* Called before each step of a process that a debugger runs, by the thread that was chosen for it. */
void rd_debugger_before_step(void);

#endif
