// RankChecker, figure 8: three threads in the wrong order. No preemption. The assertion is only in the broken
// build in bug/: without it every execution runs to its end.
// RADDLE: -s dfs --points all --keep-going
// EXPECT: none
// EXECUTIONS: 1121
// ORDERS: 6
// MODE: hooks
// FLAGS: -O1
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "pair.h"

static atomic_int a;

static void *adder(void *arg) {
    atomic_fetch_add(&a, 1);
    return arg;
}

static void *reader(void *arg) {
    int t = atomic_load(&a);
    BROKEN_ASSERT(t != 2); /* BUG */
    return arg;
}

QUIET int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], NULL, adder, NULL);
    pthread_create(&t[1], NULL, adder, NULL);
    pthread_create(&t[2], NULL, reader, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    pthread_join(t[2], NULL);
    return 0;
}
