// A condition wait with an error-checking mutex: the wait releases the mutex and takes it again.
// RADDLE: -s dfs --require-complete
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

#define QUIET __attribute__((no_sanitize("thread"))) /* its accesses are guarded; they need no points */

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

QUIET static void *waiter(void *arg) {
    assert(pthread_mutex_lock(&lock) == 0);
    while (!ready)
        assert(pthread_cond_wait(&changed, &lock) == 0);
    assert(pthread_mutex_lock(&lock) == EDEADLK); /* the thread holds it again */
    assert(pthread_mutex_unlock(&lock) == 0);
    assert(pthread_mutex_unlock(&lock) == EPERM);
    return arg;
}

QUIET static void *setter(void *arg) {
    assert(pthread_mutex_lock(&lock) == 0);
    ready = 1;
    assert(pthread_mutex_unlock(&lock) == 0);
    assert(pthread_cond_signal(&changed) == 0); /* without the lock: allowed */
    return arg;
}

QUIET int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, waiter, NULL);
    pthread_create(&t[1], NULL, setter, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
