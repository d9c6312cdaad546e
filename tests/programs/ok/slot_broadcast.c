// A one-slot buffer with one condition variable for two conditions: a broadcast also wakes a thread that can go on.
// RADDLE: -s random --seed 7 -n 1500
// EXPECT: none
// MODE: plain hooks
// FLAGS: -O0
#include <pthread.h>
#include <stddef.h>

#include "pair.h"

#define NOTIFY EITHER(pthread_cond_broadcast, pthread_cond_signal)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER; /* for both conditions */
static int full;

static void *producer(void *arg) {
    pthread_mutex_lock(&lock);
    while (full)
        pthread_cond_wait(&changed, &lock); /* BUG */
    full = 1;
    NOTIFY(&changed);
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *consumer(void *arg) {
    pthread_mutex_lock(&lock);
    while (!full)
        pthread_cond_wait(&changed, &lock); /* BUG */
    full = 0;
    NOTIFY(&changed);
    pthread_mutex_unlock(&lock);
    return arg;
}

QUIET int main(void) {
    pthread_t t[4];
    pthread_create(&t[0], NULL, producer, NULL);
    pthread_create(&t[1], NULL, producer, NULL);
    pthread_create(&t[2], NULL, consumer, NULL);
    pthread_create(&t[3], NULL, consumer, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    pthread_join(t[2], NULL);
    pthread_join(t[3], NULL);
    return 0;
}
