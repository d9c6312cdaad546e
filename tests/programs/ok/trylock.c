// trylock fails exactly when the mutex is held, for the owner too.
// RADDLE: -s dfs --require-complete
// EXPECT: none
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

#define QUIET __attribute__((no_sanitize("thread"))) /* needs no points */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int refused;

QUIET static void *worker(void *arg) {
    int error = pthread_mutex_trylock(&lock);
    if (error) {
        assert(error == EBUSY);
        refused++;
        return arg;
    }
    assert(pthread_mutex_trylock(&lock) == EBUSY);
    pthread_mutex_unlock(&lock);
    return arg;
}

QUIET int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, worker, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(refused < 2);
    return 0;
}
