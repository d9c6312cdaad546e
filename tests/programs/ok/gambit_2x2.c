// Two threads that never touch the same variable (GAMBIT, figure 1): many schedules, one order.
// RADDLE: -s dfs --points all --keep-going
// EXPECT: none
// EXECUTIONS: 69
// ORDERS: 1
// MODE: hooks
// FLAGS: -O0
#include <pthread.h>
#include <stddef.h>

#define QUIET __attribute__((no_sanitize("thread"))) /* not part of the model: makes no operations */

static int x, y;

static void *left(void *arg) {
    x = 1;
    x = 2;
    return arg;
}

static void *right(void *arg) {
    y = 1;
    y = 2;
    return arg;
}

QUIET int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, left, NULL);
    pthread_create(&t[1], NULL, right, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return x == 2 && y == 2 ? 0 : 1;
}
