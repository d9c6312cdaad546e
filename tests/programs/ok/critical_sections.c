// Two threads with two critical sections each on one lock, and private data inside.
// RADDLE: -s dfs
// EXPECT: none
// EXECUTIONS: 374
// EXECUTIONS-PLAIN: 178
// ORDERS: 6
// MODE: plain hooks
// FLAGS: -O0
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define QUIET __attribute__((no_sanitize("thread"))) /* not part of the model: makes no operations */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int mine[2];

static void section(atomic_int *p) {
    pthread_mutex_lock(&lock);
    atomic_fetch_add(p, 1);
    pthread_mutex_unlock(&lock);
}

static void *first(void *arg) {
    section(&mine[0]);
    section(&mine[0]);
    return arg;
}

static void *second(void *arg) {
    section(&mine[1]);
    section(&mine[1]);
    return arg;
}

QUIET int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, first, NULL);
    pthread_create(&t[1], NULL, second, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
