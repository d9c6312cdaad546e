// A join with a deadline either returns the result or reports that the thread lives; then it can be joined again.
// RADDLE: -s random --seed 1 -n 300
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t go;

static void *worker(void *arg) {
    sem_wait(&go);
    return arg;
}

int main(void) {
    pthread_t t[2];
    int id[2];
    void *result = NULL;
    struct timespec past = {1, 0}, later;
    sem_init(&go, 0, 0);
    pthread_create(&t[0], NULL, worker, &id[0]);
    pthread_create(&t[1], NULL, worker, &id[1]);
    assert(pthread_timedjoin_np(t[0], &result, &past) == ETIMEDOUT);
    assert(pthread_clockjoin_np(t[1], &result, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
    sem_post(&go);
    sem_post(&go);
    clock_gettime(CLOCK_REALTIME, &later);
    later.tv_sec++;
    int status = pthread_timedjoin_np(t[0], &result, &later);
    assert(status == 0 || status == ETIMEDOUT);
    if (status)
        pthread_join(t[0], &result);
    assert(result == &id[0]);
    clock_gettime(CLOCK_MONOTONIC, &later);
    later.tv_sec++;
    status = pthread_clockjoin_np(t[1], &result, CLOCK_MONOTONIC, &later);
    assert(status == 0 || status == ETIMEDOUT);
    if (status)
        pthread_join(t[1], &result);
    assert(result == &id[1]);
    return 0;
}
