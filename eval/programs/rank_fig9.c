/*
 * A reader reads a counter twice, and each of the other threads may add to it in between: all of them have to.
 *
 * Suite: rank
 * Published: RankChecker Figure 9; its assertion as printed, t1 <= t2 + 1, never fails: here it is t2 <= t1 + 1
 * Size: ADDERS=2
 * Bug 1: nothing keeps all adders from running between the two reads (assertion) (1,1,3)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef ADDERS
#define ADDERS 2
#endif

static atomic_int a;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const bool locks = BUG != 1; /* seeded bug: no lock */

static void *reader(void *arg) {
    if (locks) {
        pthread_mutex_lock(&lock);
    }
    int t1 = atomic_load(&a);
    int t2 = atomic_load(&a);
    if (locks) {
        pthread_mutex_unlock(&lock);
    }
    assert(t2 < t1 + ADDERS);
    return arg;
}

static void *adder(void *arg) {
    if (locks) {
        pthread_mutex_lock(&lock);
    }
    atomic_fetch_add(&a, 1);
    if (locks) {
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void) {
    pthread_t thread[ADDERS + 1];
    for (int i = 0; i <= ADDERS; i++) {
        pthread_create(&thread[i], NULL, i == 0 ? reader : adder, NULL);
    }
    for (int i = 0; i <= ADDERS; i++) {
        pthread_join(thread[i], NULL);
    }
    return 0;
}
