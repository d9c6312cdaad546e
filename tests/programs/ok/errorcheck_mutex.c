// An error-checking mutex reports errors instead of blocking.
// RADDLE: -s dfs -n 1000
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

static void *stranger(void *arg) {
    assert(pthread_mutex_unlock(&lock) == EPERM);
    return arg;
}

static void *owner(void *arg) {
    assert(pthread_mutex_lock(&lock) == 0);
    assert(pthread_mutex_lock(&lock) == EDEADLK);
    assert(pthread_mutex_trylock(&lock) == EBUSY);
    assert(pthread_mutex_unlock(&lock) == 0);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, owner, NULL);
    pthread_create(&t[1], NULL, stranger, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(pthread_mutex_unlock(&lock) == EPERM);
    return 0;
}
