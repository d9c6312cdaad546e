// If the timed read lock fails, the reader reads without it.
// RADDLE: -s random --seed 1 -n 5000
// EXPECT: assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static volatile int low, high;

static void *writer(void *arg) {
    pthread_rwlock_wrlock(&lock);
    low++;
    sched_yield();
    high++;
    pthread_rwlock_unlock(&lock);
    return arg;
}

static void *reader(void *arg) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 2;
    int held = pthread_rwlock_timedrdlock(&lock, &until) == 0;
    int l = low, h = high;
    if (held)
        pthread_rwlock_unlock(&lock);
    assert(l == h); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, writer, NULL);
    pthread_create(&t[1], NULL, reader, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
