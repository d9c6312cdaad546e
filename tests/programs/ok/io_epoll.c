// An event loop with epoll: work comes over a socketpair, the request to stop over an eventfd.
// RADDLE: -s random --seed 1 -n 60
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2], stop, handled;

static void *loop(void *arg) {
    int e = epoll_create1(0), running = 1;
    struct epoll_event in = {.events = EPOLLIN, .data.fd = ends[1]}, order = {.events = EPOLLIN, .data.fd = stop};
    assert(epoll_ctl(e, EPOLL_CTL_ADD, ends[1], &in) == 0);
    assert(epoll_ctl(e, EPOLL_CTL_ADD, stop, &order) == 0);
    while (running) {
        struct epoll_event got[2];
        int n = epoll_wait(e, got, 2, -1);
        assert(n == 1 || n == 2);
        for (int i = 0; i < n; i++) {
            char c;
            if (got[i].data.fd == stop)
                running = 0;
            else if (read(ends[1], &c, 1) == 1)
                handled++;
        }
    }
    char c;
    while (recv(ends[1], &c, 1, MSG_DONTWAIT) == 1)
        handled++;
    close(e);
    return arg;
}

int main(void) {
    pthread_t t;
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    stop = eventfd(0, EFD_NONBLOCK);
    pthread_create(&t, NULL, loop, NULL);
    assert(write(ends[0], "abc", 3) == 3);
    assert(eventfd_write(stop, 1) == 0);
    pthread_join(t, NULL);
    assert(handled == 3);
    return 0;
}
