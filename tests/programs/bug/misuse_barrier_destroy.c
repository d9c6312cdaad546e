// The barrier is destroyed as soon as one of two has come to it.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: misuse
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stddef.h>

static pthread_barrier_t barrier;
static sem_t coming;

static void *worker(void *arg) {
    sem_post(&coming);
    pthread_barrier_wait(&barrier); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&coming, 0, 0);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t, NULL, worker, NULL);
    sem_wait(&coming);
    sched_yield();
    pthread_barrier_destroy(&barrier); /* BUG */
    return 0;
}
