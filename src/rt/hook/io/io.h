/* io.h - shared by the hooks for input and output: transfers of data, and the program's call that a hook stands
 * for. */
#ifndef RD_RT_HOOK_IO_IO_H
#define RD_RT_HOOK_IO_IO_H

#include "rt/io/open_file.h"

#include <sys/uio.h>

/* A call that receives from a file or sends to it, with the data as a message of several parts. */
struct rd_transfer {
    int fd;
    unsigned kind;          /* RD_OP_IO_RECEIVE or RD_OP_IO_SEND */
    struct rd_io_look at;   /* the file behind `fd` */
    struct msghdr *message; /* for files other than sockets only msg_iov is used */
    int flags;              /* as the flags of sendmsg and recvmsg; for sockets only */
    uint64_t pc;            /* the program's call */
};

/* The program's call: `pc`, or where a hook calls this hook, the call that RD_IO_VIA has noted. */
static inline uint64_t rd_io_pc(uint64_t pc) { return rd_self && rd_self->via_pc ? rd_self->via_pc : pc; }
#define RD_IO_PC() rd_io_pc(RD_PC())

/* RD_IO_VIA(pc): until the end of the block, hooks that are called here take `pc` for the program's call. */
static inline uint64_t rd_io_via(uint64_t pc) {
    uint64_t outer = rd_self->via_pc;
    rd_self->via_pc = pc;
    return outer;
}
static inline void rd_io_via_end(const uint64_t *outer) { rd_self->via_pc = *outer; }
#define RD_IO_VIA(pc) uint64_t via __attribute__((cleanup(rd_io_via_end), unused)) = rd_io_via(pc)

/* Performs a transfer; returns the number of bytes, or -1 with errno, as read() and recvmsg() do. */
ssize_t rd_hook_transfer(const struct rd_transfer *t);
/*
 * Announces a call of `function` that cannot wait: an operation on the files behind its descriptors (-1: none) and
 * on the memory that the row of `function` names.
 */
void rd_hook_touch_files(int fd, int second, const void *function, uint64_t pc);
/* read(), write() and close() for the program's call at `pc`. */
ssize_t rd_hook_read(int fd, void *to, size_t size, uint64_t pc);
ssize_t rd_hook_write(int fd, const void *from, size_t size, uint64_t pc);
int rd_hook_close(int fd, uint64_t pc);
/* Makes one call with the file's O_NONBLOCK set for its duration, so the call cannot block. */
ssize_t rd_hook_no_block(int fd, const struct rd_io_look *at, ssize_t (*call)(void *ctx), void *ctx);
/* The virtual time at which a call on the socket gives up (option SO_RCVTIMEO or SO_SNDTIMEO); 0: never. */
uint64_t rd_hook_socket_deadline(int fd, int option);

#endif
