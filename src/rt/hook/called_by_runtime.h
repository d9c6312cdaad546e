/*
 * called_by_runtime.h - functions of the hooks that the rest of the runtime calls: handlers of the program's
 * signals, the processors it may use, its exit, and questions of the models about the program's memory.
 */
#ifndef RD_RT_HOOK_CALLED_BY_RUNTIME_H
#define RD_RT_HOOK_CALLED_BY_RUNTIME_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

/* process/signal.c: runs the program's handler of a signal that was sent to the calling thread. */
void rd_signal_run(int sig);
/* process/signal.c: returns whether a wait of this kind goes on after the handler of this signal. */
bool rd_signal_restarts(int sig, unsigned op);

/* sync/futex.c: returns 0 if the program's word has this value, else EAGAIN, or EFAULT or EINVAL for its address.
 */
int rd_futex_compare(uint64_t addr, uint32_t expected);
/* memory/object.c: returns whether the object that was destroyed there (enum rd_object_kind) is as it was left. */
bool rd_object_is_left(uint64_t addr, unsigned kind);

/* process/process.c: notes the processors that the program may use, before the explorer keeps to one of them. */
void rd_affinity_save(void);
/*
 * A child process is about to be made: lets it have all of these processors. Returns true if the caller must then
 * put back `before` with the second function.
 */
bool rd_affinity_lend(cpu_set_t *before);
void rd_affinity_return(const cpu_set_t *before);

/* process/atfork.c: makes copies of this process that libc makes by itself leave control, too. */
void rd_atfork_init(void);

/* process/exit.c: makes rd_rt_end() the last that exit() calls. */
void rd_exit_last(void);
/* process/exit.c: an operation, if handlers have run since the operation that began the exit. */
void rd_rt_last_exit(void);
/* process/exit.c: the end of the program by quick_exit(). */
void rd_rt_end_quickly(void);

/* sync/key.c: runs the destructors of the calling thread's thread-specific data. */
void rd_key_run_dtors(void);

#endif
