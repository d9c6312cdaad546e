// Two setters and a checker that must see both values or none (SCTBench, reorder). The assertion is only in the
// broken build in bug/: without it every execution runs to its end.
// RADDLE: --detect none -s dfs --points all --keep-going -t 1500
// EXPECT: none
// EXECUTIONS: 25424
// ORDERS: 36
// COMPILE: gcc
// SLOW: yes
// MODE: hooks
// FLAGS: -O0
#include <pthread.h>
#include <stddef.h>

#include "pair.h"

static int a, b;

static void *setter(void *arg) {
    a = 1;
    b = -1;
    return arg;
}

static void *checker(void *arg) {
    int p = a;
    int q = b;
    BROKEN_ASSERT((p == 0 && q == 0) || (p == 1 && q == -1)); /* BUG */
    return arg;
}

QUIET int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], NULL, setter, NULL);
    pthread_create(&t[1], NULL, setter, NULL);
    pthread_create(&t[2], NULL, checker, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    pthread_join(t[2], NULL);
    return 0;
}
