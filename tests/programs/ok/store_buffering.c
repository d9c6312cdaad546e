// Store buffering: under sequential consistency at least one thread sees the other's write.
// RADDLE: --detect none -s dfs --points all --keep-going
// EXPECT: none
// EXECUTIONS: 69
// ORDERS: 3
// MODE: hooks
// FLAGS: -O0
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define QUIET __attribute__((no_sanitize("thread"))) /* not part of the model: makes no operations */

static int x, y;

static void *left(void *arg) {
    (void)arg;
    x = 1;
    return y ? "seen" : NULL;
}

static void *right(void *arg) {
    (void)arg;
    y = 1;
    return x ? "seen" : NULL;
}

QUIET int main(void) {
    pthread_t t[2];
    void *a, *b;
    pthread_create(&t[0], NULL, left, NULL);
    pthread_create(&t[1], NULL, right, NULL);
    pthread_join(t[0], &a);
    pthread_join(t[1], &b);
    assert(a || b);
    return 0;
}
