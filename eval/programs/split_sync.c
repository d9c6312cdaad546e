/*
 * SplitSync: a counter is read in one synchronized part and written in another, where one part would be needed.
 *
 * Suite: exitblock
 * Published: ExitBlock's samples, "SplitSync"
 * Size: THREADS=2
 * Bug 1: the lock is released between reading and writing; an increment is lost (assertion) (1,1,2)
 */
#include <assert.h>
#include <pthread.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef THREADS
#define THREADS 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *increment(void *unused) {
    pthread_mutex_lock(&lock);
    int value = counter;
#if BUG == 1
    pthread_mutex_unlock(&lock); // BUG: another thread may increment the counter here
    pthread_mutex_lock(&lock);
#endif
    counter = value + 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, increment, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    // The threads have ended, so main needs no lock.
    assert(counter == THREADS);
    return 0;
}
