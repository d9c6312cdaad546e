// Timeouts of poll and of a socket: no real time passes, and the result is right with and without data.
// RADDLE: -s random --seed 1 -n 60
// EXPECT: none
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int ends[2], others[2];

static void *writer(void *arg) {
    assert(write(ends[1], "x", 1) == 1);
    return arg;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(void) {
    pthread_t t;
    char c;
    struct timeval fifth = {0, 200000};
    assert(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, others) == 0);
    pthread_create(&t, NULL, writer, NULL);
    struct pollfd p = {.fd = ends[0], .events = POLLIN};
    double before = now();
    int n = poll(&p, 1, 5000);
    assert(n == 1 || (n == 0 && now() - before >= 5));
    pthread_join(t, NULL);
    assert(poll(&p, 1, 5000) == 1 && p.revents == POLLIN && read(ends[0], &c, 1) == 1);
    before = now();
    assert(setsockopt(others[0], SOL_SOCKET, SO_RCVTIMEO, &fifth, sizeof fifth) == 0);
    assert(recv(others[0], &c, 1, 0) == -1 && errno == EAGAIN && now() - before >= 0.2);
    assert(poll(NULL, 0, 100) == 0 && poll(&p, 1, 0) == 0 && now() - before >= 0.3);
    return 0;
}
