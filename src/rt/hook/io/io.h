/* io.h - transfers of data, as all interposers for them see it: a message of several parts, in or out. */
#ifndef RD_RT_HOOK_IO_IO_H
#define RD_RT_HOOK_IO_IO_H

#include "rt/io/open_file.h"

#include <sys/uio.h>

struct rd_transfer {
    int fd;
    unsigned kind; /* RD_OP_IO_RECEIVE or RD_OP_IO_SEND */
    struct rd_io_look at;
    struct msghdr *message; /* for other files than sockets only its parts count */
    int flags;              /* of a socket's call */
    uint64_t pc;
};

/* The program's call, also of a function that another interposer calls. */
static inline uint64_t rd_io_pc(uint64_t pc) { return rd_self && rd_self->via_pc ? rd_self->via_pc : pc; }
#define RD_IO_PC() rd_io_pc(RD_PC())

/* Until the end of the block the interposers called here stand for the program's call at `pc`. */
static inline uint64_t rd_io_via(uint64_t pc) {
    uint64_t outer = rd_self->via_pc;
    rd_self->via_pc = pc;
    return outer;
}
static inline void rd_io_via_end(const uint64_t *outer) { rd_self->via_pc = *outer; }
#define RD_IO_VIA(pc) uint64_t via __attribute__((cleanup(rd_io_via_end), unused)) = rd_io_via(pc)

/* As read, recvmsg, … return: a number of bytes, or -1 and errno. */
ssize_t rd_hook_transfer(const struct rd_transfer *t);
/* What the functions of these names do; `pc` is the program's call. */
/* A call that cannot wait is an operation on the files behind its descriptors (-1: none), and on what it touches.
 */
void rd_hook_touch_files(int fd, int second, const void *function, uint64_t pc);
ssize_t rd_hook_read(int fd, void *to, size_t size, uint64_t pc);
ssize_t rd_hook_write(int fd, const void *from, size_t size, uint64_t pc);
int rd_hook_close(int fd, uint64_t pc);
/* Makes one call that must not block, with the file's O_NONBLOCK set for its duration. */
ssize_t rd_hook_no_block(int fd, const struct rd_io_look *at, ssize_t (*call)(void *ctx), void *ctx);
/* When a socket's call is to give up (SO_RCVTIMEO, SO_SNDTIMEO), as virtual time; 0: never. */
uint64_t rd_hook_socket_deadline(int fd, int option);

#endif
