// Timed and clocked read and write locks, while the lock is held for writing and while it is held for reading.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static struct timespec soon(clockid_t clock) {
    struct timespec until;
    clock_gettime(clock, &until);
    until.tv_nsec += 2000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    return until;
}

static void *while_written(void *arg) {
    struct timespec r = soon(CLOCK_REALTIME), m = soon(CLOCK_MONOTONIC);
    assert(pthread_rwlock_timedrdlock(&lock, &r) == ETIMEDOUT);
    assert(pthread_rwlock_timedwrlock(&lock, &r) == ETIMEDOUT);
    assert(pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &m) == ETIMEDOUT);
    assert(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &m) == ETIMEDOUT);
    return arg;
}

static void *while_read(void *arg) {
    struct timespec r = soon(CLOCK_REALTIME), m = soon(CLOCK_MONOTONIC);
    assert(pthread_rwlock_timedrdlock(&lock, &r) == 0);
    assert(pthread_rwlock_unlock(&lock) == 0);
    assert(pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &m) == 0);
    assert(pthread_rwlock_unlock(&lock) == 0);
    assert(pthread_rwlock_timedwrlock(&lock, &r) == ETIMEDOUT);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_rwlock_wrlock(&lock);
    pthread_create(&t[0], NULL, while_written, NULL);
    pthread_join(t[0], NULL);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_rdlock(&lock);
    pthread_create(&t[0], NULL, while_read, NULL);
    pthread_create(&t[1], NULL, while_read, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    pthread_rwlock_unlock(&lock);
    return 0;
}
