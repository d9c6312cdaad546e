/*
 * A reader reads two variables twice each; one thread adds to the one, and a third thread to the other.
 *
 * Suite: rank
 * Published: RankChecker Figure 10, the example of a bug with (c, v, t) = (2, 2, 3)
 * Size: none
 * Bug 1: nothing keeps the adders from running between the two reads of their variables (assertion) (2,2,3)
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
    int t4 = atomic_load(&b);
    end();
    assert(t1 == t2 || t3 == t4);
    return arg;
}

static void *adder(void *variable) {
    begin();
    atomic_fetch_add((atomic_int *)variable, 1);
    end();
    return NULL;
}

int main(void) {
    pthread_t r, w1, w2;
    pthread_create(&r, NULL, reader, NULL);
    pthread_create(&w1, NULL, adder, &a);
    pthread_create(&w2, NULL, adder, &b);
    pthread_join(r, NULL);
    pthread_join(w1, NULL);
    pthread_join(w2, NULL);
    return 0;
}
