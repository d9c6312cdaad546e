// The condition variable is destroyed while a thread waits on it.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: misuse
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waiting, stop;

static void *waiter(void *arg) {
    pthread_mutex_lock(&lock);
    waiting = 1;
    while (!stop)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, waiter, NULL);
    pthread_mutex_lock(&lock);
    if (waiting)
        pthread_cond_destroy(&changed); /* BUG */
    stop = 1;
    if (!waiting)
        pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return 0;
}
