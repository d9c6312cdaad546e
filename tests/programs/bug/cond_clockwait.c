// The deadline is a time of one clock, the wait uses the other clock: the deadline is long past, so it does not wait.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: assertion
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *waiter(void *arg) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += 3600;
    pthread_mutex_lock(&lock);
    int result = 0;
    while (!ready && result == 0)
        result = pthread_cond_clockwait(&changed, &lock, CLOCK_REALTIME, &until);
    pthread_mutex_unlock(&lock);
    assert(result != ETIMEDOUT); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, waiter, NULL);
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
