// Two threads join the same one.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: misuse
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>

static pthread_t worker_thread;

static void *worker(void *arg) { return arg; }

static void *joiner(void *arg) {
    pthread_join(worker_thread, NULL); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&worker_thread, NULL, worker, NULL);
    pthread_create(&t, NULL, joiner, NULL);
    pthread_join(worker_thread, NULL); /* BUG */
    pthread_join(t, NULL);
    return 0;
}
