/*
 * Performance: every thread has REGIONS critical sections; SHARED of them touch data that all threads share.
 *
 * Suite: exitblock
 * Published: ExitBlock's samples, "Performance" (growth with threads and regions)
 * Size: THREADS=2 REGIONS=3 SHARED=1 (SHARED of the REGIONS sections of each thread, the first ones; 0 to REGIONS)
 */
#include <assert.h>
#include <pthread.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef REGIONS
#define REGIONS 3
#endif
#ifndef SHARED
#define SHARED 1
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // all sections use one lock, also those with private data
static int shared_counter;
static int private_counter[THREADS];

static void *work(void *argument) {
    int *own = argument;
    for (int region = 0; region < REGIONS; region++) {
        pthread_mutex_lock(&lock);
        if (region < SHARED)
            shared_counter++;
        else
            (*own)++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, &private_counter[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    // The threads have ended, so main needs no lock.
    assert(shared_counter == THREADS * SHARED);
    for (int i = 0; i < THREADS; i++)
        assert(private_counter[i] == REGIONS - SHARED);
    return 0;
}
