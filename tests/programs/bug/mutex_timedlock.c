// The program ignores that a timed lock of one second may have failed.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int inside;

static void *patient(void *arg) {
    pthread_mutex_lock(&lock);
    inside++;
    sched_yield();
    inside--;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *hasty(void *arg) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    int have = pthread_mutex_timedlock(&lock, &until) == 0;
    assert(inside == 0); /* BUG */
    if (have)
        pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, patient, NULL);
    pthread_create(&t[1], NULL, hasty, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
