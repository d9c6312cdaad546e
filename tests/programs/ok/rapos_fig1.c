// A write that comes late is read too early (RAPOS, figure 1). The assertion is only in the broken build in bug/:
// without it every execution runs to its end.
// RADDLE: --detect none -s dfs --points all --keep-going
// EXPECT: none
// EXECUTIONS: 83
// ORDERS: 2
// MODE: hooks
// FLAGS: -O0
#include <pthread.h>
#include <stddef.h>

#include "pair.h"

static int x, y;

static void *writer(void *arg) {
    y = 1;
    y = 2;
    y = 3;
    x = 4;
    return arg;
}

static void *reader(void *arg) {
    int a = x;
    BROKEN_ASSERT(a != 4); /* BUG */
    return arg;
}

QUIET int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, writer, NULL);
    pthread_create(&t[1], NULL, reader, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
