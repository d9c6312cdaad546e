/*
 * Bounded buffer: a ring of SLOTS slots between producers and consumers, with a lock and condition variables.
 *
 * Suite: rapos, rank
 * Published: the ConTest benchmark of small programs, "BoundedBuffer"
 * Size: PRODUCERS=1 CONSUMERS=2 ITEMS=4 SLOTS=1
 * Bug 1: take tests once whether the buffer is empty (if, not while), and takes nothing (assertion) (0,0,3)
 * Bug 2: one condition variable for both conditions; signal wakes a thread of the wrong side (deadlock) (0,0,3)
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
#define ITEMS 4
#endif
#ifndef SLOTS
#define SLOTS 1
#endif

_Static_assert(ITEMS % PRODUCERS == 0 && ITEMS % CONSUMERS == 0, "every thread has the same share");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
#if BUG == 2
#define not_full not_empty /* seeded bug: one condition variable, and signal may wake a thread of the same side */
#else
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
#endif
static int slot[SLOTS], head, count, sum;

static void put(int item) {
    pthread_mutex_lock(&lock);
    while (count == SLOTS) {
        pthread_cond_wait(&not_full, &lock);
    }
    slot[(head + count++) % SLOTS] = item;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
}

static int take(void) {
    pthread_mutex_lock(&lock);
#if BUG == 1
    if (count == 0) { /* seeded bug: another consumer may be faster than the one that was woken */
#else
    while (count == 0) {
#endif
        pthread_cond_wait(&not_empty, &lock);
    }
    assert(count > 0);
    int item = slot[head];
    head = (head + 1) % SLOTS;
    count--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    return item;
}

static void *produce(void *arg) {
    for (int i = 1; i <= ITEMS / PRODUCERS; i++) {
        put(i);
    }
    return arg;
}

static void *consume(void *arg) {
    int got = 0;
    for (int i = 0; i < ITEMS / CONSUMERS; i++) {
        got += take();
    }
    pthread_mutex_lock(&lock);
    sum += got;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t thread[PRODUCERS + CONSUMERS];
    for (int i = 0; i < PRODUCERS + CONSUMERS; i++) {
        pthread_create(&thread[i], NULL, i < PRODUCERS ? produce : consume, NULL);
    }
    for (int i = 0; i < PRODUCERS + CONSUMERS; i++) {
        pthread_join(thread[i], NULL);
    }
    int each = ITEMS / PRODUCERS;
    assert(count == 0 && sum == PRODUCERS * each * (each + 1) / 2);
    return 0;
}
