/* io_wait.h - inside io_wait.c and outside_wait.c: what threads wait for, and whether it has come. */
#ifndef RD_RT_IO_IO_WAIT_H
#define RD_RT_IO_IO_WAIT_H

#include "rt/io/open_file.h"

/* What a thread keeps for its waits. */
struct rd_io_thread {
    const struct rd_io_wait *wait; /* of its pending operation */
    uint64_t deadline;             /* the program's own, besides timers */
    struct rd_io_wait room;
    uint32_t room_size;
    uint64_t nothing_pc; /* where it last found nothing, and when */
    uint32_t nothing_step;
    uint64_t asked_at; /* the kernel said whether it is ready after so many system calls; 0: it was not asked */
    bool was_ready;
    uint32_t settled, moments; /* its children had a moment to end after so many changes; how often so far */
};

/* Asks the kernel. ns UINT64_MAX: for ever. A call that fails is left to the program's own call to report: it is
 * ready. */
bool rd_io_poll(struct pollfd *fds, uint32_t count, uint64_t ns);
/* Can the thread's pending operation on open files go on? */
bool rd_io_ready(void *ctx, rd_tid tid);

/* Can it be made ready from outside the program? */
bool rd_io_from_outside(const struct rd_io_wait *w);
/*
 * Something from outside is looked at, and the execution is known to depend on it. When it is waited for it gets a
 * moment to come.
 */
void rd_io_settle(unsigned kind, const struct rd_io_wait *w);

#endif
