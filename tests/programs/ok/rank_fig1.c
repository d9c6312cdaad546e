// RankChecker, figure 1: a read that must come first. No preemption is needed. The assertion is only in the broken
// build in bug/: without it every execution runs to its end.
// RADDLE: -s dfs --points all --keep-going
// EXPECT: none
// EXECUTIONS: 19
// ORDERS: 2
// MODE: hooks
// FLAGS: -O1
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "pair.h"

static atomic_int a;

static void *reader(void *arg) {
    int t = atomic_load_explicit(&a, memory_order_relaxed);
    BROKEN_ASSERT(t == 0); /* BUG */
    return arg;
}

static void *adder(void *arg) {
    atomic_fetch_add(&a, 1);
    return arg;
}

QUIET int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, reader, NULL);
    pthread_create(&t[1], NULL, adder, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
