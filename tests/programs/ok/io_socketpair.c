// Request and reply over a socketpair, with every call for it.
// RADDLE: -s random --seed 1 -n 60
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static int ends[2];

static void *server(void *arg) {
    char c[4];
    ssize_t n;
    while ((n = recv(ends[1], c, 2, MSG_WAITALL)) == 2) {
        c[2] = c[0];
        c[3] = c[1];
        assert(send(ends[1], c, 4, 0) == 4);
    }
    assert(n == 0);
    return arg;
}

int main(void) {
    pthread_t t;
    char c[5] = "";
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    pthread_create(&t, NULL, server, NULL);
    assert(write(ends[0], "ab", 2) == 2);
    struct iovec v[2] = {{c, 2}, {c + 2, 2}};
    struct msghdr m = {.msg_iov = v, .msg_iovlen = 2};
    assert(recvmsg(ends[0], &m, 0) == 4 && strcmp(c, "abab") == 0);
    assert(send(ends[0], "c", 1, 0) == 1 && sendto(ends[0], "d", 1, 0, NULL, 0) == 1);
    assert(readv(ends[0], v, 2) == 4 && strcmp(c, "cdcd") == 0);
    shutdown(ends[0], SHUT_WR);
    assert(recvfrom(ends[0], c, 4, MSG_PEEK | MSG_DONTWAIT, NULL, NULL) <= 0);
    pthread_join(t, NULL);
    return 0;
}
