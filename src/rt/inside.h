/*
 * inside.h - entering and leaving the runtime. A thread of the program is *inside* while it runs the runtime's
 * code: hooks that it calls there pass straight through to libc, so the runtime never schedules itself. Every path
 * that calls rd_rt_enter calls rd_rt_leave as often, or ends the execution.
 */
#ifndef RD_RT_INSIDE_H
#define RD_RT_INSIDE_H

#include "rt/thread/vthread.h"

#include <errno.h>

/* True if the caller is a thread of the program under control and outside the runtime: the first test of a hook. */
static inline bool rd_rt_active(void) {
    struct rd_vthread *v = rd_self;
    return RD_LIKELY(v != NULL) && v->inside == 0;
}

/* pre: the caller is a thread of the program under control */
static inline void rd_rt_enter(void) { rd_self->inside++; }
static inline void rd_rt_leave(void) {
    RD_ASSERT(rd_self->inside > 0);
    rd_self->inside--;
}

/*
 * Puts errno back. It is written only if it has changed: a snapshot restores every page that an execution has
 * written to, also where the contents stayed the same.
 */
static inline void rd_errno_back(int saved) {
    if (errno != saved)
        errno = saved;
}

/* The code location of the program's call, for rd_op.pc. Only for use in the hook itself, not in a function it
 * calls. */
#define RD_PC() ((uint64_t)(uintptr_t)__builtin_return_address(0))

#endif
