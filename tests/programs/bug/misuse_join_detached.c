// A join of a detached thread: the thread may be gone already.
// RADDLE: -s dfs
// EXPECT: misuse
// OUTPUT: join of a detached thread
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *wait_for_lock(void *arg) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t detached;
    pthread_mutex_lock(&lock);
    pthread_create(&detached, NULL, wait_for_lock, NULL);
    pthread_detach(detached);
    assert(pthread_join(detached, NULL) == EINVAL); /* BUG */
    pthread_mutex_unlock(&lock);
    return 0;
}
