/*
 * Producer and consumer: a counter of products; the consumer sleeps on a condition variable while it is zero.
 *
 * Suite: rapos, rank
 * Published: the ConTest benchmark of small programs, "ProducerConsumer"
 * Size: CONSUMERS=2 ITEMS=2
 * Bug 1: the producer counts and signals without the mutex, just before the consumer waits; lost (deadlock) (1,1,2)
 * Bug 2: the producer signals only when it put the first product: one of two consumers sleeps on (deadlock) (0,0,3)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef CONSUMERS
#define CONSUMERS 2
#endif
#ifndef ITEMS
#define ITEMS 2
#endif

_Static_assert(ITEMS % CONSUMERS == 0, "every consumer has the same share");

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t available = PTHREAD_COND_INITIALIZER;
static atomic_int products;

static void *produce(void *arg) {
    for (int i = 0; i < ITEMS; i++) {
#if BUG == 1
        products++; /* seeded bug: the consumer may have seen zero, but not sleep yet */
        pthread_cond_signal(&available);
#elif BUG == 2
        pthread_mutex_lock(&mutex);
        if (products++ == 0) { /* seeded bug: the second product may be for a second sleeper */
            pthread_cond_signal(&available);
        }
        pthread_mutex_unlock(&mutex);
#else
        pthread_mutex_lock(&mutex);
        products++;
        pthread_cond_signal(&available);
        pthread_mutex_unlock(&mutex);
#endif
    }
    return arg;
}

static void *consume(void *arg) {
    for (int i = 0; i < ITEMS / CONSUMERS; i++) {
        pthread_mutex_lock(&mutex);
        while (products == 0) {
            pthread_cond_wait(&available, &mutex);
        }
        products--;
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}

int main(void) {
    pthread_t thread[CONSUMERS + 1];
    for (int i = 0; i <= CONSUMERS; i++) {
        pthread_create(&thread[i], NULL, i == 0 ? produce : consume, NULL);
    }
    for (int i = 0; i <= CONSUMERS; i++) {
        pthread_join(thread[i], NULL);
    }
    assert(products == 0);
    return 0;
}
