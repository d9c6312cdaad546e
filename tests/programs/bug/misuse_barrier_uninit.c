// The thread may come to the barrier before main has initialised it.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: misuse
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static pthread_barrier_t barrier;

static void *worker(void *arg) {
    pthread_barrier_wait(&barrier); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    sched_yield();
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_barrier_wait(&barrier);
    pthread_join(t, NULL);
    return 0;
}
