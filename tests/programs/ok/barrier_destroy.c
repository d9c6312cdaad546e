// The serial thread may destroy the barrier, though the other one may not have returned from it yet.
// RADDLE: -s dfs -n 1000
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static void *worker(void *arg) {
    pthread_barrier_t *barrier = arg;
    if (pthread_barrier_wait(barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
        pthread_barrier_destroy(barrier);
        free(barrier);
    }
    return NULL;
}

int main(void) {
    pthread_t t[2];
    pthread_barrier_t *barrier = malloc(sizeof *barrier);
    assert(pthread_barrier_init(barrier, NULL, 0) == EINVAL);
    assert(pthread_barrier_init(barrier, NULL, 2) == 0);
    pthread_create(&t[0], NULL, worker, barrier);
    pthread_create(&t[1], NULL, worker, barrier);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
