/*
 * Bubble sort by several threads: each makes all passes over one array, and locks the two neighbours it compares.
 *
 * Suite: rapos, rank
 * Published: the ConTest benchmark of small programs, "BubbleSort"
 * Size: THREADS=2 COUNT=4
 * Bug 1: only the left one of the two neighbours is locked; a swap overwrites another (assertion) (2,1,2)
 * Bug 2: the locks are given back between the comparison and the swap; an old swap is made (assertion) (1,1,2)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef THREADS
#define THREADS 2
#endif
#ifndef COUNT
#define COUNT 4
#endif

static atomic_int value[COUNT];
static pthread_mutex_t lock[COUNT];

/*
 * Puts the neighbours at i and i + 1 in order. Such steps of other threads in between never unsort what a thread
 * has sorted, so that an array is sorted when one thread has made all its passes.
 */
static void order(int i) {
    const bool locks_right = BUG != 1; /* seeded bug: another thread may be at work on i + 1 and i + 2 */
    pthread_mutex_lock(&lock[i]);
    if (locks_right) {
        pthread_mutex_lock(&lock[i + 1]);
    }
    int left = value[i], right = value[i + 1];
#if BUG == 2
    pthread_mutex_unlock(&lock[i + 1]); /* seeded bug: the values may be others when they are swapped */
    pthread_mutex_unlock(&lock[i]);
    pthread_mutex_lock(&lock[i]);
    pthread_mutex_lock(&lock[i + 1]);
#endif
    if (left > right) {
        value[i] = right;
        value[i + 1] = left;
    }
    if (locks_right) {
        pthread_mutex_unlock(&lock[i + 1]);
    }
    pthread_mutex_unlock(&lock[i]);
}

static void *sort(void *arg) {
    for (int end = COUNT - 1; end > 0; end--) {
        for (int i = 0; i < end; i++) {
            order(i);
        }
    }
    return arg;
}

int main(void) {
    pthread_t thread[THREADS];
    for (int i = 0; i < COUNT; i++) {
        value[i] = COUNT - i;
        pthread_mutex_init(&lock[i], NULL);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&thread[i], NULL, sort, NULL);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
    }
    for (int i = 0; i < COUNT; i++) {
        assert(value[i] == i + 1);
    }
    return 0;
}
