// RankChecker, figure 9 as printed: its assertion holds in every schedule. The broken build in bug/ has the assertion
// that the figure means.
// RADDLE: -s dfs --points all --keep-going
// EXPECT: none
// EXECUTIONS: 2821
// ORDERS: 12
// MODE: hooks
// FLAGS: -O1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "pair.h"

static atomic_int a;

static void *reader(void *arg) {
    int t1 = atomic_load(&a);
    int t2 = atomic_load(&a);
    assert(EITHER(t1 <= t2 + 1, t2 <= t1 + 1)); /* BUG */
    return arg;
}

static void *adder(void *arg) {
    atomic_fetch_add(&a, 1);
    return arg;
}

QUIET int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], NULL, reader, NULL);
    pthread_create(&t[1], NULL, adder, NULL);
    pthread_create(&t[2], NULL, adder, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    pthread_join(t[2], NULL);
    return 0;
}
