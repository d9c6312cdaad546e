// A timed lock succeeds or reports a timeout; a deadline in the past fails only if the lock is not free.
// RADDLE: -s random --seed 1 -n 300
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count, given_up;

static void *worker(void *arg) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec = (until.tv_nsec + 1000000) % 1000000000;
    until.tv_sec += until.tv_nsec < 1000000;
    int result = pthread_mutex_timedlock(&lock, &until);
    assert(result == 0 || result == ETIMEDOUT);
    if (result)
        pthread_mutex_lock(&lock);
    given_up += result == ETIMEDOUT;
    count++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[2];
    struct timespec past = {1, 0}, wrong = {1, 1000000000};
    assert(pthread_mutex_timedlock(&lock, &past) == 0);
    assert(pthread_mutex_timedlock(&lock, &wrong) == EINVAL);
    assert(pthread_mutex_timedlock(&lock, &past) == ETIMEDOUT);
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, worker, NULL);
    pthread_mutex_unlock(&lock);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(count == 2 && given_up <= 2);
    return 0;
}
