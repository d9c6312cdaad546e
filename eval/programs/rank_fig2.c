/*
 * A reader reads a counter twice, and another thread adds to it: the smallest bug of one preemption.
 *
 * Suite: rank
 * Published: RankChecker Figure 2, the example of a bug with (c, v, t) = (1, 1, 2)
 * Size: none
 * Bug 1: nothing keeps the adder from running between the two reads (assertion) (1,1,2)
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
    int t1 = atomic_load(&a);
    int t2 = atomic_load(&a);
    end();
    assert(t1 == t2);
    return arg;
}

static void *adder(void *arg) {
    begin();
    atomic_fetch_add(&a, 1);
    end();
    return arg;
}

int main(void) {
    pthread_t r, w;
    pthread_create(&r, NULL, reader, NULL);
    pthread_create(&w, NULL, adder, NULL);
    pthread_join(r, NULL);
    pthread_join(w, NULL);
    return 0;
}
