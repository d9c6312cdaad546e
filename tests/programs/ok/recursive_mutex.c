// A recursive mutex is free again only after as many unlocks as locks.
// RADDLE: -s dfs -n 2000
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock;
static int inside;

static void *nest(void *arg) {
    for (int i = 0; i < 3; i++)
        assert(pthread_mutex_lock(&lock) == 0);
    assert(pthread_mutex_trylock(&lock) == 0);
    assert(inside++ == 0);
    for (int i = 0; i < 3; i++)
        assert(pthread_mutex_unlock(&lock) == 0);
    assert(inside-- == 1);
    assert(pthread_mutex_unlock(&lock) == 0);
    assert(pthread_mutex_unlock(&lock) == EPERM);
    return arg;
}

static void *once(void *arg) {
    if (pthread_mutex_trylock(&lock) == EBUSY)
        pthread_mutex_lock(&lock);
    assert(inside == 0);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &attr);
    pthread_mutexattr_destroy(&attr);
    pthread_create(&t[0], NULL, nest, NULL);
    pthread_create(&t[1], NULL, once, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return pthread_mutex_destroy(&lock);
}
