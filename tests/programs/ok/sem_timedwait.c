// Timed and clocked waits for a semaphore: each unit is taken once, and a wait without a unit reports it.
// RADDLE: -s random --seed 1 -n 300
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t units;
static int got[2];

static void *worker(void *arg) {
    int *mine = arg;
    clockid_t clock = mine == &got[0] ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    struct timespec until, wrong = {1, -1};
    clock_gettime(clock, &until);
    until.tv_nsec += 3000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    assert(sem_timedwait(&units, &wrong) == -1 && errno == EINVAL);
    int result = mine == &got[0] ? sem_timedwait(&units, &until) : sem_clockwait(&units, clock, &until);
    assert(result == 0 || errno == ETIMEDOUT);
    *mine = result == 0;
    return NULL;
}

int main(void) {
    pthread_t t[2];
    int left = -1;
    sem_init(&units, 0, 0);
    pthread_create(&t[0], NULL, worker, &got[0]);
    pthread_create(&t[1], NULL, worker, &got[1]);
    sem_post(&units);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    sem_getvalue(&units, &left);
    assert(got[0] + got[1] + left == 1);
    return sem_destroy(&units);
}
