/*
 * Concurrent bag: every thread has a list; it takes from the top of its own, and steals from the bottom of others.
 *
 * Suite: gambit
 * Published: GAMBIT Table 2, the bag of the parallel library (ConcurrentBag)
 * Size: THREADS=2 ITEMS=2 (each thread adds ITEMS items, then takes items until it finds none)
 * Bug 1: a thief does not wait for the owner's operation; an item is taken twice (assertion) (1,1,2)
 * Bug 2: the owner takes its last item without the lock; an item is taken twice (assertion) (2,1,2)
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef THREADS
#define THREADS 2
#endif
#ifndef ITEMS
#define ITEMS 2
#endif

/*
 * The owner works without the lock while its list has items to spare: even if a thief gets one of them meanwhile,
 * the owner's is another one. A second thief waits until the owner is no longer busy.
 */
static struct list {
    pthread_mutex_t lock;   // thieves, and the owner of a short list
    atomic_bool owner_busy; // the owner works without the lock
    atomic_int bottom, top;
    atomic_int item[ITEMS];
} lists[THREADS];

static atomic_int taken[THREADS * ITEMS];

static void add(struct list *own, int item) {
    own->item[own->top] = item; // above top: no thief looks there
    own->top++;
}

static bool take_own(struct list *own, int *item) {
#if BUG == 2
    enum { SPARE = 0 }; // BUG: a thief may have seen the last item, too
#else
    enum { SPARE = 1 };
#endif
    own->owner_busy = true;
    if (own->top - own->bottom > SPARE) {
        *item = own->item[--own->top];
        own->owner_busy = false;
        return true;
    }
    own->owner_busy = false;
    pthread_mutex_lock(&own->lock);
    bool found = own->top > own->bottom;
    if (found)
        *item = own->item[--own->top];
    pthread_mutex_unlock(&own->lock);
    return found;
}

static bool steal(struct list *victim, int *item) {
    pthread_mutex_lock(&victim->lock);
#if BUG != 1 // BUG 1: the owner may have counted items that thieves take now
    while (victim->owner_busy)
        sched_yield();
#endif
    bool found = victim->top > victim->bottom;
    if (found) {
        *item = victim->item[victim->bottom];
        victim->bottom++;
    }
    pthread_mutex_unlock(&victim->lock);
    return found;
}

static bool take(int self, int *item) {
    if (take_own(&lists[self], item))
        return true;
    for (int i = 1; i < THREADS; i++)
        if (steal(&lists[(self + i) % THREADS], item))
            return true;
    return false;
}

static void *worker(void *argument) {
    int self = (int)(intptr_t)argument, item;
    for (int i = 0; i < ITEMS; i++)
        add(&lists[self], self * ITEMS + i);
    while (take(self, &item)) {
        int before = atomic_fetch_add(&taken[item], 1);
        assert(before == 0);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_mutex_init(&lists[i].lock, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS * ITEMS; i++)
        assert(taken[i] == 1);
    return 0;
}
