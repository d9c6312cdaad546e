// The Bluetooth driver of Qadeer and Wu: the adder tests the stop flag before it counts itself in. The assertion
// is only in the broken build in bug/: without it every execution runs to its end.
// RADDLE: --detect none -s dfs --points all --keep-going
// EXPECT: none
// EXECUTIONS: 954
// ORDERS: 8
// MODE: hooks
// FLAGS: -O0
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "pair.h"

static int stopping, stopped, event;
static atomic_int pending = 1;

static void *adder(void *arg) {
    int s = stopping;
    if (s)
        return arg;
    atomic_fetch_add(&pending, 1);
    int d = stopped;
    BROKEN_ASSERT(d == 0); /* BUG */
    if (atomic_fetch_sub(&pending, 1) == 1)
        event = 1;
    return arg;
}

static void *stopper(void *arg) {
    stopping = 1;
    if (atomic_fetch_sub(&pending, 1) == 1)
        event = 1;
    if (event)
        stopped = 1;
    return arg;
}

QUIET int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, adder, NULL);
    pthread_create(&t[1], NULL, stopper, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
