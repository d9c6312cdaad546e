// A timer as a descriptor follows the virtual clock: alone, with poll, and in an epoll set.
// RADDLE: -s random --seed 1 -n 60
// EXPECT: none
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static int timer;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void *setter(void *arg) {
    struct itimerspec fifth = {.it_value = {0, 200000000}};
    assert(timerfd_settime(timer, 0, &fifth, NULL) == 0);
    return arg;
}

int main(void) {
    pthread_t t;
    uint64_t n = 0;
    double begun = now();
    timer = timerfd_create(CLOCK_MONOTONIC, 0);
    pthread_create(&t, NULL, setter, NULL);
    assert(read(timer, &n, sizeof n) == sizeof n && n == 1 && now() - begun >= 0.2);
    pthread_join(t, NULL);

    struct itimerspec every = {.it_value = {0, 400000000}, .it_interval = {0, 400000000}}, left;
    begun = now();
    assert(timerfd_settime(timer, 0, &every, NULL) == 0);
    struct pollfd p = {.fd = timer, .events = POLLIN};
    assert(poll(&p, 1, 100) == 0 && poll(&p, 1, 5000) == 1);
    assert(now() - begun >= 0.4);
    usleep(1300000);
    assert(read(timer, &n, sizeof n) == sizeof n && n >= 4);
    assert(timerfd_gettime(timer, &left) == 0 && left.it_interval.tv_nsec == 400000000 && left.it_value.tv_sec == 0);

    int e = epoll_create1(0);
    struct epoll_event in = {.events = EPOLLIN}, got;
    assert(epoll_ctl(e, EPOLL_CTL_ADD, timer, &in) == 0);
    assert(epoll_wait(e, &got, 1, -1) == 1);
    assert(write(timer, &n, sizeof n) == -1 && errno == EINVAL);
    close(timer);
    return 0;
}
