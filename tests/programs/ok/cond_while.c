// Two consumers wait in a loop, as the condition requires.
// RADDLE: -s dfs
// EXPECT: none
// EXECUTIONS-PLAIN: 15521
// COMPILE: gcc
// MODE: plain
// FLAGS: -O0
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#include "pair.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int count;

static void *consumer(void *arg) {
    pthread_mutex_lock(&lock);
    EITHER(while, if) (count == 0)
        pthread_cond_wait(&filled, &lock);
    int c = count;
    assert(c > 0); /* BUG */
    count = c - 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *producer(void *arg) {
    pthread_mutex_lock(&lock);
    count = 1;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    count++;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&lock);
    return arg;
}

QUIET int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], NULL, consumer, NULL);
    pthread_create(&t[1], NULL, consumer, NULL);
    pthread_create(&t[2], NULL, producer, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    pthread_join(t[2], NULL);
    return 0;
}
