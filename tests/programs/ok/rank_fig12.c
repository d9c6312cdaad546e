// RankChecker, figure 12: AllocationVector with one block. Find, check and mark are atomic, together they are not.
// The assertion is only in the broken build in bug/: without it every execution runs to its end.
// RADDLE: --detect none -s dfs --points all --keep-going
// EXPECT: none
// EXECUTIONS: 770
// ORDERS: 18
// MODE: hooks
// FLAGS: -O0
#include <pthread.h>
#include <stddef.h>

#include "pair.h"

static int block;

static void *client(void *arg) {
    int found = block;
    if (found == 0) {
        int free = block;
        BROKEN_ASSERT(free == 0); /* BUG */
        block = 1;
        block = 0;
    }
    return arg;
}

QUIET int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, client, NULL);
    pthread_create(&t[1], NULL, client, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
