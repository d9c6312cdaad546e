// The results of the try calls while the lock is held for reading, and for writing.
// RADDLE: -s dfs -n 1000
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *while_read(void *arg) {
    assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
    assert(pthread_rwlock_tryrdlock(&lock) == 0);
    pthread_rwlock_unlock(&lock);
    return arg;
}

static void *while_written(void *arg) {
    assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
    assert(pthread_rwlock_tryrdlock(&lock) == EBUSY);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_rwlock_rdlock(&lock);
    pthread_create(&t[0], NULL, while_read, NULL);
    pthread_create(&t[1], NULL, while_read, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    pthread_rwlock_unlock(&lock);
    assert(pthread_rwlock_trywrlock(&lock) == 0);
    pthread_create(&t[0], NULL, while_written, NULL);
    pthread_join(t[0], NULL);
    pthread_rwlock_unlock(&lock);
    assert(pthread_rwlock_tryrdlock(&lock) == 0);
    pthread_rwlock_unlock(&lock);
    return 0;
}
