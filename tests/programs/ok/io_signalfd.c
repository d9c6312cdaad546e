// Signals that threads send are read from a signalfd with their values; a real-time signal as often as it was sent.
// RADDLE: -s random --seed 1 -n 60
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int fd, numbers, values;

static void *taker(void *arg) {
    struct signalfd_siginfo info[2];
    int epoll = epoll_create1(0);
    struct epoll_event e = {.events = EPOLLIN};
    assert(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e) == 0);
    while (numbers < 4) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        assert(numbers % 2 ? poll(&p, 1, -1) == 1 : epoll_wait(epoll, &e, 1, -1) == 1);
        ssize_t n = read(fd, info, sizeof info);
        assert(n > 0 && n % (ssize_t)sizeof info[0] == 0);
        for (int i = 0; i < n / (ssize_t)sizeof info[0]; i++, numbers++)
            assert(info[i].ssi_pid == (unsigned)getpid()), values += info[i].ssi_signo == (unsigned)SIGRTMIN ? info[i].ssi_int : 100;
    }
    assert(read(fd, info, 1) == -1 && errno == EINVAL);
    close(epoll);
    return arg;
}

static void *sender(void *arg) {
    pthread_t to = *(pthread_t *)arg;
    assert(pthread_sigqueue(to, SIGRTMIN, (union sigval){.sival_int = 1}) == 0);
    assert(pthread_sigqueue(to, SIGRTMIN, (union sigval){.sival_int = 2}) == 0);
    assert(pthread_kill(to, SIGUSR1) == 0);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    sigaddset(&set, SIGRTMIN);
    assert(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    fd = signalfd(-1, &set, 0);
    assert(fd >= 0);
    pthread_create(&t[0], NULL, taker, NULL);
    pthread_create(&t[1], NULL, sender, &t[0]);
    assert(kill(getpid(), SIGUSR2) == 0);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(numbers == 4 && values == 203);
    return 0;
}
