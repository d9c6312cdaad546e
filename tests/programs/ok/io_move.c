// Data is moved between descriptors and in several messages at once, partly by system call number.
// RADDLE: -s random --seed 1 -n 60
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { SIZE = 9000 };
static int first[2], second[2], pair[2], file;
static char data[SIZE];

/* the file into the first pipe, which is smaller */
static void *sender(void *arg) {
    off_t at = 0;
    while (at < SIZE)
        assert(sendfile(first[1], file, &at, (size_t)(SIZE - at)) > 0);
    assert(syscall(SYS_close, first[1]) == 0);
    struct iovec v[2] = {{"one", 3}, {"two!", 4}};
    struct mmsghdr m[2] = {{.msg_hdr = {.msg_iov = &v[0], .msg_iovlen = 1}},
                           {.msg_hdr = {.msg_iov = &v[1], .msg_iovlen = 1}}};
    assert(sendmmsg(pair[0], m, 2, 0) == 2 && m[1].msg_len == 4);
    return arg;
}

static void *mover(void *arg) {
    ssize_t n;
    size_t all = 0;
    while ((n = splice(first[0], NULL, second[1], NULL, SIZE, 0)) > 0)
        all += (size_t)n;
    assert(n == 0 && all == SIZE);
    struct iovec v = {"end", 3};
    assert(vmsplice(second[1], &v, 1, 0) == 3);
    close(second[1]);
    return arg;
}

int main(void) {
    pthread_t t[2];
    static char got[SIZE + 4];
    size_t all = 0;
    long n;
    for (int i = 0; i < SIZE; i++)
        data[i] = (char)('a' + i % 26);
    file = memfd_create("data", 0);
    assert(write(file, data, SIZE) == SIZE);
    assert(pipe(first) == 0 && pipe(second) == 0 && socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0);
    assert(fcntl(first[1], F_SETPIPE_SZ, 4096) == 4096 && fcntl(second[1], F_SETPIPE_SZ, 4096) == 4096);
    pthread_create(&t[0], NULL, sender, NULL);
    pthread_create(&t[1], NULL, mover, NULL);
    struct pollfd p = {.fd = second[0], .events = POLLIN};
    assert(syscall(SYS_ppoll, &p, 1L, NULL, NULL, 8L) == 1 && p.revents);
    while ((n = syscall(SYS_read, second[0], got + all, sizeof got - all)) > 0)
        all += (size_t)n;
    assert(n == 0 && all == SIZE + 3 && memcmp(got, data, SIZE) == 0 && memcmp(got + SIZE, "end", 3) == 0);
    struct iovec v[2] = {{got, 8}, {got + 8, 8}};
    struct mmsghdr m[2] = {{.msg_hdr = {.msg_iov = &v[0], .msg_iovlen = 1}},
                           {.msg_hdr = {.msg_iov = &v[1], .msg_iovlen = 1}}};
    assert(recvmmsg(pair[1], m, 2, 0, NULL) == 2 && m[0].msg_len == 3 && memcmp(got + 8, "two!", 4) == 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
