// A signal that is sent twice is pending once: the second sigwait waits for ever.
// RADDLE: -s random --seed 1 -n 500
// EXPECT: deadlock
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static sigset_t set;

static void *taker(void *arg) {
    int number;
    for (int i = 0; i < 2; i++)
        sigwait(&set, &number); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&t, NULL, taker, NULL);
    pthread_kill(t, SIGUSR1);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, NULL);
    return 0;
}
