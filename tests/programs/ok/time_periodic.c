// A thread acts every second until it is told to stop; the program ends after any number of rounds.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: none
// ALONE: no
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int stop, ticks;

static void *periodic(void *arg) {
    struct timespec next;
    clock_gettime(CLOCK_REALTIME, &next);
    pthread_mutex_lock(&lock);
    while (!stop) {
        next.tv_sec++;
        int result = 0;
        while (!stop && result == 0)
            result = pthread_cond_timedwait(&changed, &lock, &next);
        ticks += result == ETIMEDOUT;
    }
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    assert(!stop);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, periodic, NULL);
    pthread_create(&t[1], NULL, worker, NULL);
    pthread_join(t[1], NULL);
    pthread_mutex_lock(&lock);
    stop = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(t[0], NULL);
    return ticks < 0;
}
