// A critical section split in two (SplitSync, from the ExitBlock paper). The assertion is only in the broken build
// in bug/: without it every execution runs to its end.
// RADDLE: -s dfs --keep-going
// EXPECT: none
// EXECUTIONS: 505
// EXECUTIONS-PLAIN: 178
// ORDERS: 6
// MODE: plain hooks
// FLAGS: -O0
#include <pthread.h>
#include <stddef.h>

#include "pair.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *add(void *arg) {
    pthread_mutex_lock(&lock);
    int y = x;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    int z = x;
    BROKEN_ASSERT(z == y); /* BUG */
    x = y + 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

QUIET int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, add, NULL);
    pthread_create(&t[1], NULL, add, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
