// A loop that sleeps until another thread is ready: no real time passes, and the search ends.
// RADDLE: -s dfs --require-complete
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#define QUIET __attribute__((no_sanitize("thread"))) /* its accesses are guarded; they need no points */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready;

QUIET static void *poll_it(void *arg) {
    for (;;) {
        pthread_mutex_lock(&lock);
        int now = ready;
        pthread_mutex_unlock(&lock);
        if (now)
            return arg;
        usleep(250000);
    }
}

QUIET static void *prepare(void *arg) {
    struct timespec long_ago = {0, 999999999};
    nanosleep(&long_ago, NULL);
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

QUIET int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, poll_it, NULL);
    pthread_create(&t[1], NULL, prepare, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(ready);
    return 0;
}
