// While exit handlers run, other threads continue: one sees the effect of a handler, and fails some steps later.
// RADDLE: -s dpor
// EXPECT: assertion
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static bool closed;

static void close_down(void) {
    pthread_mutex_lock(&lock);
    closed = true;
    pthread_mutex_unlock(&lock);
}

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    bool late = closed;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&other);
    pthread_mutex_unlock(&other);
    if (late)
        abort(); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t;
    atexit(close_down);
    pthread_create(&t, NULL, worker, NULL);
    return 0;
}
