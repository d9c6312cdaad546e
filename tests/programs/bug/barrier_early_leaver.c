// A worker without work leaves before the barrier; the others wait for it.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: deadlock
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>

static pthread_barrier_t done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int jobs = 3;

static void *worker(void *arg) {
    int did = 0;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        if (jobs > 0) {
            jobs--;
            did++;
        }
        pthread_mutex_unlock(&lock);
    }
    if (did < 2)
        return arg;
    pthread_barrier_wait(&done); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_barrier_init(&done, NULL, 2);
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, worker, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return pthread_barrier_destroy(&done);
}
