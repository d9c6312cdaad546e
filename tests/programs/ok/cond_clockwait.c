// The clock of a wait: named in the call, or an attribute of the condition variable.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t realtime = PTHREAD_COND_INITIALIZER, monotonic;

static struct timespec soon(void) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += 3000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    return until;
}

static void *worker(void *arg) {
    struct timespec until = soon(), now;
    pthread_mutex_lock(&lock);
    if (arg)
        assert(pthread_cond_clockwait(&realtime, &lock, CLOCK_MONOTONIC, &until) == ETIMEDOUT);
    else
        assert(pthread_cond_timedwait(&monotonic, &lock, &until) == ETIMEDOUT);
    pthread_mutex_unlock(&lock);
    clock_gettime(CLOCK_MONOTONIC, &now);
    assert(now.tv_sec > until.tv_sec || (now.tv_sec == until.tv_sec && now.tv_nsec >= until.tv_nsec));
    return NULL;
}

int main(void) {
    pthread_t t[2];
    pthread_condattr_t attr;
    clockid_t clock = -1;
    pthread_condattr_init(&attr);
    assert(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0);
    assert(pthread_condattr_getclock(&attr, &clock) == 0 && clock == CLOCK_MONOTONIC);
    assert(pthread_cond_init(&monotonic, &attr) == 0);
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, worker, &lock);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return pthread_cond_destroy(&monotonic);
}
