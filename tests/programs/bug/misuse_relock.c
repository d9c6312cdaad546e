// A normal mutex is locked again by its owner, but only if there is work: a deadlock.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: deadlock
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int tasks;

static void *adder(void *arg) {
    pthread_mutex_lock(&lock); /* BUG */
    tasks++;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    if (tasks > 0)
        adder(NULL);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, adder, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
