// The program uses the result of a detached thread without having waited for it.
// RADDLE: -s dfs
// EXPECT: assertion
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int result;

static void *compute(void *arg) {
    pthread_mutex_lock(&lock);
    result = 6 * 7;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, compute, NULL);
    pthread_detach(t);
    pthread_mutex_lock(&lock);
    assert(result == 42); /* BUG */
    pthread_mutex_unlock(&lock);
    return 0;
}
