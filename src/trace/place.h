/*
 * place.h - names of addresses that are the same in every execution and in every process of the same build.
 *
 * The upper 16 bits say which region, the lower 48 where in it:
 *   0             no address
 *   1 + m         module m of the program (0 is the executable), offset from its base
 *   HEAP + t      the heap of thread t, offset from its start; from MAPPED on what the thread has mapped
 *   STACK + t     the stack of thread t, distance *down* from its top
 *   IO + k        an open file of kind k (enum rd_io_kind): thread that opened it << 20 | which of its files
 *   OTHER         any other mapping: the address itself
 */
#ifndef RD_TRACE_PLACE_H
#define RD_TRACE_PLACE_H

#include "trace/types.h"

enum {
    RD_PLACE_MODULE = 1,
    RD_PLACE_HEAP = 0x4000,
    RD_PLACE_STACK = 0x8000,
    RD_PLACE_IO = 0xa000,
    RD_PLACE_OTHER = 0xc000
};

static const uint64_t RD_PLACE_MAPPED = (uint64_t)64 << 30;

/* What threads wait for with read, poll and the like. SEVERAL: more than an operation can name; any of them. */
enum rd_io_kind {
    RD_IO_NONE,
    RD_IO_PIPE,
    RD_IO_SOCKET,
    RD_IO_EVENT,
    RD_IO_TIMER,
    RD_IO_EPOLL,
    RD_IO_TERMINAL,
    RD_IO_OTHER,
    RD_IO_SEVERAL,
    RD_IO_CHILD, /* a process that the program started; CHILDREN: any of them */
    RD_IO_CHILDREN,
    RD_IO_SIGNALS,
    RD_IO_QUEUE,
    RD_IO_KINDS
};

static inline rd_place rd_place_make(unsigned region, uint64_t offset) {
    return (uint64_t)region << 48 | (offset & 0xffffffffffffu);
}
static inline unsigned rd_place_region(rd_place p) { return (unsigned)(p >> 48); }
static inline uint64_t rd_place_offset(rd_place p) { return p & 0xffffffffffffu; }

/* The places of so many bytes from this one on: those on a stack count from its top, so they come before it. */
static inline void rd_place_span(rd_place p, uint64_t size, rd_place *first, rd_place *last) {
    unsigned region = rd_place_region(p);
    uint64_t more = size ? size - 1 : 0;
    bool down = region >= RD_PLACE_STACK && region < RD_PLACE_IO;
    *first = down ? p - RD_MIN(more, rd_place_offset(p)) : p;
    *last = down ? p : p + more;
}

/* The module's number when the place is in one, else -1. */
static inline int rd_place_module(rd_place p) {
    unsigned r = rd_place_region(p);
    return r >= RD_PLACE_MODULE && r < RD_PLACE_HEAP ? (int)(r - RD_PLACE_MODULE) : -1;
}

#endif
