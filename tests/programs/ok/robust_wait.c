// A condition wait gives up a robust mutex that is inconsistent: nobody can lock it any more. Its thread can unlock a
// robust mutex that it does not hold without more than an error.
// RADDLE: -s dfs
// EXPECT: none
// EXECUTIONS: 2
// MODE: plain
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t m;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *owner(void *arg) {
    pthread_mutex_lock(&m);
    return arg;
}

static void *waker(void *arg) {
    int error = pthread_mutex_lock(&m);
    assert(error == ENOTRECOVERABLE);
    pthread_cond_signal(&c);
    return arg;
}

int main(void) {
    pthread_mutexattr_t attr;
    pthread_t t;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &attr);
    assert(pthread_cond_wait(&c, &m) == EPERM);
    pthread_create(&t, NULL, owner, NULL);
    pthread_join(t, NULL);
    assert(pthread_mutex_lock(&m) == EOWNERDEAD);
    pthread_create(&t, NULL, waker, NULL);
    assert(pthread_cond_wait(&c, &m) == ENOTRECOVERABLE);
    assert(pthread_mutex_consistent(&m) == EINVAL);
    assert(pthread_mutex_unlock(&m) == EPERM);
    return pthread_join(t, NULL);
}
