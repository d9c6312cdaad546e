/*
 * place.h - places: names of addresses that are the same in every execution and in every process of the same build.
 *
 * The upper 16 bits are the region, the lower 48 the position in the region:
 *   0             no address
 *   1 + m         module m of the program (0 is the executable), offset from its base
 *   HEAP + t      the heap of thread t, offset from its start; from MAPPED on memory that the thread has mapped
 *   STACK + t     the stack of thread t, distance *down* from its top
 *   IO + k        an open file of kind k (enum rd_io_kind): thread that opened it << 20 | index among its files
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

/* Kinds of open files and events that threads wait for. SEVERAL: more of them than an operation can name. */
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
    RD_IO_CHILD, /* a process that the program started; CHILDREN: any such process */
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

/* Writes the lowest and the highest place of `size` bytes from p on. Places in a stack descend with the address. */
static inline void rd_place_span(rd_place p, uint64_t size, rd_place *first, rd_place *last) {
    unsigned region = rd_place_region(p);
    uint64_t more = size ? size - 1 : 0;
    bool down = region >= RD_PLACE_STACK && region < RD_PLACE_IO;
    *first = down ? p - RD_MIN(more, rd_place_offset(p)) : p;
    *last = down ? p : p + more;
}

/* Returns the number of the module that the place is in, or -1. */
static inline int rd_place_module(rd_place p) {
    unsigned r = rd_place_region(p);
    return r >= RD_PLACE_MODULE && r < RD_PLACE_HEAP ? (int)(r - RD_PLACE_MODULE) : -1;
}

#endif
