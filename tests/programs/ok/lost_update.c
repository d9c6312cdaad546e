// Two threads add one without a lock. The assertion is only in the broken build in bug/: without it every
// execution runs to its end.
// RADDLE: --detect none -s dfs --points all --keep-going
// EXPECT: none
// EXECUTIONS: 69
// ORDERS: 4
// MODE: hooks
// FLAGS: -O0
#include <pthread.h>
#include <stddef.h>

#include "pair.h"

static int x;

static void *add(void *arg) {
    int a = x;
    x = a + 1;
    return arg;
}

QUIET int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, add, NULL);
    pthread_create(&t[1], NULL, add, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    BROKEN_ASSERT(x == 2); /* BUG */
    return x == 1 || x == 2 ? 0 : 1;
}
