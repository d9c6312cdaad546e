/*
 * stream.h - locks of streams (FILE). libc locks a stream for the duration of every call; threads are not switched
 * inside libc, so that lock is free whenever another thread runs, and nothing is to be done. There are two
 * exceptions: a program that holds the lock itself (flockfile), and streams whose data comes and goes through
 * functions that are operations (those of our own, and the program's with fopencookie). In these cases the lock is
 * one in the model, and the calls on the stream take it.
 */
#ifndef RD_RT_HOOK_IO_STREAM_H
#define RD_RT_HOOK_IO_STREAM_H

#include "rt/hook/hook.h"

#include <stdio.h>

/* What one call has to give back; NULL: nothing. */
struct rd_stream_hold {
    FILE *stream;
    uint64_t pc;
};

extern bool rd_streams_special RD_HIDDEN; /* one of the two has ever been seen */

/*
 * A module of the program refers to flockfile: then every call on a stream takes its lock as an operation. It would
 * not do to look whether somebody holds it just then: in another order somebody might.
 */
void rd_stream_locks(void) RD_HIDDEN;
struct rd_stream_hold rd_stream_take(FILE *f, uint64_t pc) RD_HIDDEN;
void rd_stream_give(struct rd_stream_hold *h) RD_HIDDEN;

/* A call on a stream: an operation on it and on the file behind it, with what the call at pc touches
 * (rt/call/call.h).
 */
void rd_stream_touch(FILE *f, uint64_t pc) RD_HIDDEN;

/* The lock is held for the duration of the enclosing block, also when the thread is cancelled in it. */
#define RD_STREAM_LOCKED(f)                                                          \
    struct rd_stream_hold hold __attribute__((cleanup(rd_stream_give))) = {NULL, 0}; \
    if (RD_UNLIKELY(rd_streams_special) && rd_hook_on())                             \
        hold = rd_stream_take(f, RD_PC());                                           \
    if (rd_hook_on())                                                                \
    rd_stream_touch(f, RD_PC())

#endif
