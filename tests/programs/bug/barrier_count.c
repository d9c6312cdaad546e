// The barrier's count includes main, but main does not come.
// RADDLE: -s dfs
// EXPECT: deadlock
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>

static pthread_barrier_t start;

static void *worker(void *arg) {
    pthread_barrier_wait(&start); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_barrier_init(&start, NULL, 3);
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, worker, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return pthread_barrier_destroy(&start);
}
