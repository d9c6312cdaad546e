/*
 * stream.h - locks of streams (FILE). libc locks a stream for the duration of every call. Threads are not switched
 * inside libc, so libc's lock is free whenever another thread runs, and usually a hook need not model it. There are
 * two exceptions: a program that takes the lock itself (flockfile), and streams that read and write through
 * functions with operations in them (streams of pipes and sockets that stream.c makes, and the program's with
 * fopencookie). In these cases the lock is a recursive mutex of the model, and calls on the stream take it.
 */
#ifndef RD_RT_HOOK_IO_STREAM_H
#define RD_RT_HOOK_IO_STREAM_H

#include "rt/hook/hook.h"

#include <stdio.h>

/* The lock that one call has taken and has to release. */
struct rd_stream_hold {
    FILE *stream; /* NULL: the call has taken no lock */
    uint64_t pc;  /* the program's call */
};

extern bool rd_streams_special RD_HIDDEN; /* one of the two exceptions has occurred in this process */

/*
 * A module of the program imports flockfile: from now on every call on a stream takes its lock as an operation.
 * Taking it only while another thread holds it would not do: whether a thread holds it depends on the schedule, and
 * so would the operations of the call.
 */
void rd_stream_locks(void) RD_HIDDEN;
struct rd_stream_hold rd_stream_take(FILE *f, uint64_t pc) RD_HIDDEN;
void rd_stream_give(struct rd_stream_hold *h) RD_HIDDEN;

/*
 * Announces a call on a stream: an operation on the stream, on the file behind it, and on the memory that the call
 * at `pc` touches (rt/call/call.h).
 */
void rd_stream_touch(FILE *f, uint64_t pc) RD_HIDDEN;

/*
 * Holds the lock until the end of the enclosing block; also releases it when the thread is cancelled in the block.
 */
#define RD_STREAM_LOCKED(f)                                                          \
    struct rd_stream_hold hold __attribute__((cleanup(rd_stream_give))) = {NULL, 0}; \
    if (RD_UNLIKELY(rd_streams_special) && rd_hook_on())                             \
        hold = rd_stream_take(f, RD_PC());                                           \
    if (rd_hook_on())                                                                \
    rd_stream_touch(f, RD_PC())

#endif
