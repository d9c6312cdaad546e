// Two locks taken in both orders.
// RADDLE: -s dfs --keep-going
// EXPECT: deadlock
// TIMES: 20
// FINDINGS: 1
// EXECUTIONS: 194
// MODE: plain hooks
// FLAGS: -O1
#include <pthread.h>
#include <stddef.h>

#define QUIET __attribute__((no_sanitize("thread"))) /* not part of the model: makes no operations */

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *arg) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); /* BUG */
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
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
