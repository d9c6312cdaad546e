/*
 * Buffer: a bounded buffer with one condition variable for each predicate.
 *
 * Suite: exitblock, rapos
 * Published: ExitBlock's samples, "Buffer" (if instead of while)
 * Size: PRODUCERS=1 CONSUMERS=2 ITEMS=2 SLOTS=2 (ITEMS for each producer; their sum is a multiple of CONSUMERS)
 * Bug 1: a consumer tests for an item with if; when it goes on another has taken the item (assertion) (1,1,3)
 */
#include <assert.h>
#include <pthread.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef PRODUCERS
#define PRODUCERS 1
#endif
#ifndef CONSUMERS
#define CONSUMERS 2
#endif
#ifndef ITEMS
#define ITEMS 2
#endif
#ifndef SLOTS
#define SLOTS 2
#endif

static struct {
    pthread_mutex_t lock;
    pthread_cond_t not_empty, not_full;
    int slot[SLOTS];
    int first, count;
} buffer = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .not_empty = PTHREAD_COND_INITIALIZER, .not_full = PTHREAD_COND_INITIALIZER};

static int sum; // of the items that consumers took; under the lock of the buffer

static void *produce(void *unused) {
    for (int i = 1; i <= ITEMS; i++) {
        pthread_mutex_lock(&buffer.lock);
        while (buffer.count == SLOTS)
            pthread_cond_wait(&buffer.not_full, &buffer.lock);
        buffer.slot[(buffer.first + buffer.count++) % SLOTS] = i;
        pthread_cond_signal(&buffer.not_empty);
        pthread_mutex_unlock(&buffer.lock);
    }
    return unused;
}

static void *consume(void *unused) {
    for (int i = 0; i < PRODUCERS * ITEMS / CONSUMERS; i++) {
        pthread_mutex_lock(&buffer.lock);
#if BUG == 1
        if (buffer.count == 0) // BUG: between the signal and this thread another consumer may have the lock
#else
        while (buffer.count == 0)
#endif
            pthread_cond_wait(&buffer.not_empty, &buffer.lock);
        assert(buffer.count > 0);
        sum += buffer.slot[buffer.first];
        buffer.first = (buffer.first + 1) % SLOTS;
        buffer.count--;
        pthread_cond_signal(&buffer.not_full);
        pthread_mutex_unlock(&buffer.lock);
    }
    return unused;
}

int main(void) {
    pthread_t threads[PRODUCERS + CONSUMERS];
    for (int i = 0; i < PRODUCERS + CONSUMERS; i++)
        pthread_create(&threads[i], NULL, i < CONSUMERS ? consume : produce, NULL);
    for (int i = 0; i < PRODUCERS + CONSUMERS; i++)
        pthread_join(threads[i], NULL);
    // The threads have ended, so main needs no lock.
    assert(buffer.count == 0 && sum == PRODUCERS * ITEMS * (ITEMS + 1) / 2);
    return 0;
}
