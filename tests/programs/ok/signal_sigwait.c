// Signals are blocked everywhere; one thread takes them with sigwait, sigwaitinfo and sigtimedwait.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

static sigset_t set;

static void *taker(void *arg) {
    int number = 0, seen = 0;
    siginfo_t info;
    assert(sigwait(&set, &number) == 0);
    seen |= number == SIGUSR1 ? 1 : 2;
    number = sigwaitinfo(&set, &info);
    assert(number == SIGUSR1 || number == SIGUSR2);
    seen |= number == SIGUSR1 ? 1 : 2;
    assert(seen == 3);
    struct timespec soon = {0, 1000000};
    assert(sigtimedwait(&set, &info, &soon) == -1 && errno == EAGAIN);
    return arg;
}

static void *sender(void *arg) {
    assert(pthread_kill(*(pthread_t *)arg, SIGUSR2) == 0);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    assert(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    pthread_create(&t[0], NULL, taker, NULL);
    pthread_create(&t[1], NULL, sender, &t[0]);
    assert(pthread_kill(t[0], SIGUSR1) == 0 && pthread_kill(t[0], 0) == 0);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
