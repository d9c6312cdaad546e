// A signal handler that interrupts a condition wait waits on another condition. Both waits have a place of their own.
// RADDLE: -s dfs
// EXPECT: none
// EXECUTIONS: 101
// MODE: plain
#include "pair.h"

#include <pthread.h>
#include <signal.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER, d = PTHREAD_COND_INITIALIZER;
static int inner, outer;

static void handler(int sig) {
    (void)sig;
    if (pthread_mutex_trylock(&m)) /* the thread itself may hold it */
        return;
    while (!inner)
        pthread_cond_wait(EITHER(&d, &c), &m); /* BUG */
    pthread_mutex_unlock(&m);
}

static void *waiter(void *arg) {
    pthread_mutex_lock(&m);
    while (!outer)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return arg;
}

static void set(int *flag, pthread_cond_t *cond) {
    pthread_mutex_lock(&m);
    *flag = 1;
    pthread_cond_broadcast(cond);
    pthread_mutex_unlock(&m);
}

int main(void) {
    struct sigaction action = {.sa_handler = handler};
    pthread_t t;
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&t, NULL, waiter, NULL);
    pthread_kill(t, SIGUSR1);
    set(&outer, &c);
    set(&inner, EITHER(&d, &c));
    return pthread_join(t, NULL);
}
