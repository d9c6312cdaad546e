// RankChecker, figure 3: a value that is there for a moment only. Two preemptions. The assertion is only in the
// broken build in bug/: without it every execution runs to its end.
// RADDLE: --detect none -s dfs --points all --keep-going
// EXPECT: none
// EXECUTIONS: 69
// ORDERS: 6
// MODE: hooks
// FLAGS: -O0
#include <pthread.h>
#include <stddef.h>

#include "pair.h"

static int a;

static void *reader(void *arg) {
    int t1 = a;
    int t2 = a;
    BROKEN_ASSERT(t1 == t2); /* BUG */
    return arg;
}

static void *pulse(void *arg) {
    a = 1;
    a = 0;
    return arg;
}

QUIET int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, reader, NULL);
    pthread_create(&t[1], NULL, pulse, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
