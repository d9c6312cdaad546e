/*
 * snapshot.h - executions in the explorer's own process: the kernel thread that runs the search goes over to the
 * program's stack, as it was at the checkpoint, and comes back when the execution is over; then memory (pages.h)
 * and what the kernel knows (syscall_trap.h) are put back.
 */
#ifndef RD_RT_ISOLATE_SNAPSHOT_H
#define RD_RT_ISOLATE_SNAPSHOT_H

#include "rt/isolate/kept.h"
#include "rt/state.h"

enum rd_snapshot_end {
    RD_SNAPSHOT_OVER,   /* the execution is; kept->status says how */
    RD_SNAPSHOT_UNFIT,  /* it cannot be isolated this way: kept->unfit */
    RD_SNAPSHOT_MORE,   /* it needs what kept->carriers, stack_size or heap_open say */
    RD_SNAPSHOT_BROKEN, /* it has written into the memory of the search */
    RD_SNAPSHOT_LOST,   /* descriptors from before could not be put back */
};

/* Maps the kept memory and calls `explore`, which does not return, on a stack there. */
void rd_snapshot_explorer(void (*explore)(void *));
/* From there: an execution begins in this process, which was forked for it. */
_Noreturn void rd_snapshot_forked(void);
/* Saves all there is. False, with the reason: executions need a process each. */
bool rd_snapshot_begin(char *why, size_t room);
/* What the explorer itself has changed since then belongs to the checkpoint, too. */
bool rd_snapshot_renew(char *why, size_t room);
/* Memory is put back: to the start, or to where an execution was kept. */
void rd_snapshot_go(const struct rd_deep_checkpoint *to);
/* Runs an execution from where memory is, and puts back what it has changed: to the deepest point that is kept. */
enum rd_snapshot_end rd_snapshot_run(uint64_t (*now)(void *));

/* Of what never changes in the channel and the hub. Executions with a process of their own can write there, too. */
uint64_t rd_snapshot_shape(void);

/* In an execution: does it run in the explorer's process? Then it ends by one of these. */
static inline bool rd_snapshot_running(void) { return rd_rt.snapshot && rd_kept()->running; }
_Noreturn void rd_snapshot_leave(int status); /* as wait() would say it */
_Noreturn void rd_snapshot_unfit(const char *why);
void rd_snapshot_pause(void); /* not its end: it is kept, and goes on */
_Noreturn void rd_snapshot_carriers(uint32_t count);
bool rd_snapshot_is_arena_end(uint64_t address); /* a fault there means that more of the arena is needed */
_Noreturn void rd_snapshot_arena(void);
_Noreturn void rd_snapshot_stack(rd_tid tid, size_t size);
_Noreturn void rd_snapshot_heap(rd_tid tid, uint64_t open);

#endif
