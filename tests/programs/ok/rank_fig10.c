// RankChecker, figure 10: two increments by two threads, each between two reads. The assertion is only in the
// broken build in bug/: without it every execution runs to its end.
// RADDLE: -s dfs --points all --keep-going
// EXPECT: none
// EXECUTIONS: 12152
// ORDERS: 9
// COMPILE: gcc
// MODE: hooks
// FLAGS: -O1
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "pair.h"

static atomic_int a, b;

static void *reader(void *arg) {
    int t1 = atomic_load(&a);
    int t2 = atomic_load(&a);
    int t3 = atomic_load(&b);
    int t4 = atomic_load(&b);
    BROKEN_ASSERT(t1 == t2 || t3 == t4); /* BUG */
    return arg;
}

static void *add_a(void *arg) {
    atomic_fetch_add(&a, 1);
    return arg;
}

static void *add_b(void *arg) {
    atomic_fetch_add(&b, 1);
    return arg;
}

QUIET int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], NULL, reader, NULL);
    pthread_create(&t[1], NULL, add_a, NULL);
    pthread_create(&t[2], NULL, add_b, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    pthread_join(t[2], NULL);
    return 0;
}
