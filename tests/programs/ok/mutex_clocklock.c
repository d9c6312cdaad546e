// pthread_mutex_clocklock accepts both clocks and no others; main holds the lock, so the call times out.
// RADDLE: -s dfs -n 1000
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg) {
    clockid_t clock = *(clockid_t *)arg;
    struct timespec until, now;
    clock_gettime(clock, &until);
    until.tv_nsec += 2000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    assert(pthread_mutex_clocklock(&lock, CLOCK_PROCESS_CPUTIME_ID, &until) == EINVAL);
    assert(pthread_mutex_clocklock(&lock, clock, &until) == ETIMEDOUT);
    clock_gettime(clock, &now);
    assert(now.tv_sec > until.tv_sec || (now.tv_sec == until.tv_sec && now.tv_nsec >= until.tv_nsec));
    return NULL;
}

int main(void) {
    pthread_t t[2];
    clockid_t clock[2] = {CLOCK_REALTIME, CLOCK_MONOTONIC};
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, &clock[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    pthread_mutex_unlock(&lock);
    return 0;
}
