// Two threads, two writes each to one variable: every schedule of the four writes is an order of its own.
// RADDLE: --detect none -s dfs --points all --keep-going
// EXPECT: none
// EXECUTIONS: 69
// ORDERS: 6
// MODE: hooks
// FLAGS: -O0
#include <pthread.h>
#include <stddef.h>

#define QUIET __attribute__((no_sanitize("thread"))) /* not part of the model: makes no operations */

static int x;

static void *left(void *arg) {
    x = 1;
    x = 2;
    return arg;
}

static void *right(void *arg) {
    x = 11;
    x = 12;
    return arg;
}

QUIET int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, left, NULL);
    pthread_create(&t[1], NULL, right, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return x == 2 || x == 12 ? 0 : 1;
}
