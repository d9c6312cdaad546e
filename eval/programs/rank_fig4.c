/*
 * A reader reads one variable twice and then another, which a writer changes for a moment: two variables matter.
 *
 * Suite: rank
 * Published: RankChecker Figure 4, the example of a bug with (c, v, t) = (2, 2, 2)
 * Size: none
 * Bug 1: nothing holds the reads or the writes together (assertion) (2,2,2)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef BUG
#define BUG 0
#endif

static atomic_int a, b;
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
    int t3 = atomic_load(&b);
    end();
    assert(t1 == t2 || t3 != 1);
    return arg;
}

static void *writer(void *arg) {
    begin();
    atomic_store(&a, 1);
    atomic_store(&b, 1);
    atomic_store(&b, 0);
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
