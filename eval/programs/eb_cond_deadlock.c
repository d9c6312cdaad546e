/*
 * Condition deadlock: producers and consumers of a buffer with one slot wait on the same condition variable.
 *
 * Suite: exitblock
 * Published: ExitBlock's samples, "Condition deadlock" (signal instead of broadcast, two predicates)
 * Size: PRODUCERS=2 CONSUMERS=2 ITEMS=1 (items of each thread; PRODUCERS equals CONSUMERS)
 * Bug 1: signal instead of broadcast; a producer wakes a producer, and a consumer waits forever (deadlock) (0,0,4)
 */
#include <assert.h>
#include <pthread.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 2
#endif
#ifndef ITEMS
#define ITEMS 1
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER; // two predicates: the slot is free, the slot is full
static int slot_full, consumed;

static void notify(void) {
#if BUG == 1
    pthread_cond_signal(&changed); // BUG: the thread that wakes may be one that waits for the other predicate
#else
    pthread_cond_broadcast(&changed);
#endif
}

static void *produce(void *unused) {
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        while (slot_full)
            pthread_cond_wait(&changed, &lock);
        slot_full = 1;
        notify();
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *consume(void *unused) {
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        while (!slot_full)
            pthread_cond_wait(&changed, &lock);
        slot_full = 0;
        consumed++;
        notify();
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t threads[PRODUCERS + CONSUMERS];
    for (int i = 0; i < PRODUCERS + CONSUMERS; i++)
        pthread_create(&threads[i], NULL, i < PRODUCERS ? produce : consume, NULL);
    for (int i = 0; i < PRODUCERS + CONSUMERS; i++)
        pthread_join(threads[i], NULL);
    // The threads have ended, so main needs no lock.
    assert(!slot_full && consumed == PRODUCERS * ITEMS);
    return 0;
}
