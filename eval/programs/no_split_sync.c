/*
 * NoSplitSync: a counter is read and written in one synchronized part (the correct sibling of SplitSync).
 *
 * Suite: exitblock
 * Published: ExitBlock's samples, "NoSplitSync"
 * Size: THREADS=2 SECTIONS=1 (critical sections of each thread)
 */
#include <assert.h>
#include <pthread.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef SECTIONS
#define SECTIONS 1
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *increment(void *unused) {
    for (int i = 0; i < SECTIONS; i++) {
        pthread_mutex_lock(&lock);
        int value = counter;
        counter = value + 1;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, increment, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    // The threads have ended, so main needs no lock.
    assert(counter == THREADS * SECTIONS);
    return 0;
}
