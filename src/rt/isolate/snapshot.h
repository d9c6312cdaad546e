/*
 * snapshot.h - executions in the explorer's own process. The kernel thread that runs the search goes over to the
 * program's stack, as it was at the checkpoint, and comes back when the execution is over; then memory (pages.h)
 * and the process's state in the kernel (syscall_trap.h) are put back.
 */
#ifndef RD_RT_ISOLATE_SNAPSHOT_H
#define RD_RT_ISOLATE_SNAPSHOT_H

#include "rt/isolate/kept.h"
#include "rt/state.h"

/* How rd_snapshot_run ended. */
enum rd_snapshot_end {
    RD_SNAPSHOT_OVER,   /* the execution is over; rd_kept.status says how */
    RD_SNAPSHOT_UNFIT,  /* it cannot be isolated this way; rd_kept.unfit says why */
    RD_SNAPSHOT_MORE,   /* it lacks a resource: rd_kept.carriers, stack_size, heap_open or arena_more is not 0 */
    RD_SNAPSHOT_BROKEN, /* it has written into the memory of the search */
    RD_SNAPSHOT_LOST,   /* descriptors from before it could not be put back */
};

/* ---- at the checkpoint, and in the explorer ---- */

/*
 * Maps the kept memory and calls `explore`, which does not return, on the explorer's stack there. The call itself
 * returns in executions, once in each.
 */
void rd_snapshot_explorer(void (*explore)(void *));
/* In a process that was forked for it: an execution begins. Goes on behind rd_snapshot_explorer. */
_Noreturn void rd_snapshot_forked(void);
/* Saves memory and installs the trap for system calls. Returns false, with the reason, if that cannot be done. */
bool rd_snapshot_begin(char *why, size_t room);
/* Saves memory anew: it has changed at the start. pre: memory is as it was at the start */
bool rd_snapshot_renew(char *why, size_t room);
/* Puts memory back to a deep checkpoint, or to the start (NULL). */
void rd_snapshot_go(const struct rd_deep_checkpoint *to);
/*
 * Runs an execution from the present state of memory, and then puts memory back to the deepest checkpoint that is
 * kept. `now` returns the time in ns.
 */
enum rd_snapshot_end rd_snapshot_run(uint64_t (*now)(void *));
/* Returns a sum over the parts of channel and hub that never change. Executions in forks can write there, too. */
uint64_t rd_snapshot_shape(void);

/* ---- in an execution ---- */

/* Returns whether the caller is an execution in the explorer's process. The others below are only for such a one.
 */
static inline bool rd_snapshot_running(void) { return rd_rt.snapshot && rd_kept()->running; }

/* Ends the execution with this status, as wait() would say it. */
_Noreturn void rd_snapshot_leave(int status);
/* Ends the execution: it is about to have an effect that only the end of its process would undo. */
_Noreturn void rd_snapshot_unfit(const char *why);
/* Interrupts the execution, so that the explorer keeps its state. Returns when it goes on. */
void rd_snapshot_pause(void);
/* End the execution: it lacks carriers for so many threads; a stack of this size; a heap of this size; memory. */
_Noreturn void rd_snapshot_carriers(uint32_t count);
_Noreturn void rd_snapshot_stack(rd_tid tid, size_t size);
_Noreturn void rd_snapshot_heap(rd_tid tid, uint64_t open);
_Noreturn void rd_snapshot_arena(void);
/* Returns whether a fault at this address means that the execution's arena is too small. */
bool rd_snapshot_is_arena_end(uint64_t address);

#endif
