// Two threads of a pool answer in any order; the client takes the first answer for its first question.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: assertion
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2], set;

static void *worker(void *arg) {
    struct epoll_event e;
    char c;
    if (epoll_wait(set, &e, 1, -1) == 1 && recv(e.data.fd, &c, 1, MSG_DONTWAIT) == 1)
        (void)!write(e.data.fd, &c, 1);
    return arg;
}

int main(void) {
    pthread_t t[2];
    char c[2] = "";
    struct epoll_event in = {.events = EPOLLIN};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        return 1;
    set = epoll_create1(0);
    in.data.fd = ends[1];
    epoll_ctl(set, EPOLL_CTL_ADD, ends[1], &in);
    (void)!write(ends[0], "ab", 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        (void)!read(ends[0], &c[i], 1);
    assert(c[0] == 'a' && c[1] == 'b'); /* BUG */
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
