// The signal is pending while it is blocked; when it is unblocked it ends the program.
// RADDLE: -s dfs
// EXPECT: crash
// OUTPUT: SIGUSR2
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>

static pthread_t first;

static void *worker(void *arg) {
    pthread_kill(first, SIGUSR2);
    return arg;
}

int main(void) {
    pthread_t t;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    first = pthread_self();
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL); /* BUG */
    return 0;
}
