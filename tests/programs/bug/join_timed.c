// After five seconds the program uses the result, whether or not the join succeeded.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int result;

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    result = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    struct timespec until;
    pthread_create(&t, NULL, worker, NULL);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 5;
    pthread_timedjoin_np(t, NULL, &until);
    pthread_mutex_lock(&lock);
    assert(result == 1); /* BUG */
    pthread_mutex_unlock(&lock);
    return 0;
}
