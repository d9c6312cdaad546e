// pthread_tryjoin_np returns EBUSY while the thread lives, and its result once it has ended.
// RADDLE: -s random --seed 1 -n 300
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t go;

static void *worker(void *arg) {
    sem_wait(&go);
    return arg;
}

int main(void) {
    pthread_t t;
    void *result = NULL;
    int status;
    sem_init(&go, 0, 0);
    pthread_create(&t, NULL, worker, &go);
    assert(pthread_tryjoin_np(t, &result) == EBUSY);
    sem_post(&go);
    while ((status = pthread_tryjoin_np(t, &result)) == EBUSY)
        sched_yield();
    assert(status == 0 && result == &go);
    return sem_destroy(&go);
}
