// Joins that cannot work return an error; one that can brings the result.
// RADDLE: -s dfs -n 500
// EXPECT: none
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *self_join(void *arg) {
    assert(pthread_join(pthread_self(), NULL) == EDEADLK);
    return arg;
}

static void *wait_for_lock(void *arg) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t joined, detached;
    void *result = NULL;
    pthread_mutex_lock(&lock);
    pthread_create(&detached, NULL, wait_for_lock, NULL);
    pthread_detach(detached);
    pthread_create(&joined, NULL, self_join, &result);
    assert(pthread_join(detached, NULL) == EINVAL);
    assert(pthread_join(joined, &result) == 0);
    assert(result == &result);
    pthread_mutex_unlock(&lock);
    return 0;
}
