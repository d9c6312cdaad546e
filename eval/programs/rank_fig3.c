/*
 * A reader reads a variable twice while a writer changes it for a moment: the smallest bug of two preemptions.
 *
 * Suite: rank
 * Published: RankChecker Figure 3, the example of a bug with (c, v, t) = (2, 1, 2)
 * Size: none
 * Bug 1: neither side holds a lock from its first access to its second; the reads differ (assertion) (2,1,2)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef BUG
#define BUG 0
#endif

static atomic_int a;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const bool locks = BUG != 1; /* seeded bug: no lock */

static void begin(void) {
    if (locks) {
        pthread_mutex_lock(&lock);
    }
}

static void end(void) {
    if (locks) {
        pthread_mutex_unlock(&lock);
    }
}

static void *reader(void *arg) {
    begin();
    int first = atomic_load(&a);
    int second = atomic_load(&a);
    end();
    assert(first == second);
    return arg;
}

static void *writer(void *arg) {
    begin();
    atomic_store(&a, 1);
    atomic_store(&a, 0);
    end();
    return arg;
}

int main(void) {
    pthread_t r, w;
    pthread_create(&r, NULL, reader, NULL);
    pthread_create(&w, NULL, writer, NULL);
    pthread_join(r, NULL);
    pthread_join(w, NULL);
    return 0;
}
