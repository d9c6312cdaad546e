/* io_wait.h - shared by io_wait.c and outside_wait.c: the waits of threads on open files, and whether they are
 * over. */
#ifndef RD_RT_IO_IO_WAIT_H
#define RD_RT_IO_IO_WAIT_H

#include "rt/io/open_file.h"

/* The state of a thread's waits on open files. */
struct rd_io_thread {
    const struct rd_io_wait *wait; /* of its pending operation; NULL: that is no wait on open files */
    uint64_t deadline;             /* the program's deadline, without deadlines of timers */
    struct rd_io_wait room;        /* the arrays that rd_io_room gives out */
    uint32_t room_size;            /* how many descriptors the arrays hold */
    uint64_t nothing_pc;           /* the pc of the last rd_io_found_nothing(), raw */
    uint32_t nothing_step;         /* the number of steps of the execution then */
    uint64_t asked_at; /* the number of system calls, plus 1, when the kernel was asked last; 0: it was not asked */
    bool was_ready;    /* the kernel's answer */
    uint32_t settled;  /* the number of changes (io_wait.c) when its children last got time to end */
    uint32_t moments;  /* how often this wait has given its children time */
};

/* Returns whether one of the descriptors is ready within so many ns (UINT64_MAX: waits for ever). If ppoll() fails
 * the result is true: the program's own call reports the error. */
bool rd_io_poll(struct pollfd *fds, uint32_t count, uint64_t ns);
/* world.io_ready: returns whether the thread's pending operation on open files is enabled. */
bool rd_io_ready(void *ctx, rd_tid tid);

/* Returns whether another process can make one of the files ready. */
bool rd_io_from_outside(const struct rd_io_wait *w);
/*
 * A thread begins to wait for files that other processes can make ready: records that the execution depends on
 * them, and gives them a moment to become ready.
 */
void rd_io_settle(unsigned kind, const struct rd_io_wait *w);

#endif
