// With writer preference a new reader stays out as soon as a writer waits; one that is inside stays inside.
// RADDLE: -s random --seed 1 -n 300
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static pthread_rwlock_t lock;
static int value;

static void *writer(void *arg) {
    pthread_rwlock_wrlock(&lock);
    value = 1;
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_rwlockattr_t attr;
    int kind = -1;
    pthread_rwlockattr_init(&attr);
    assert(pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP) == 0);
    assert(pthread_rwlockattr_getkind_np(&attr, &kind) == 0);
    assert(kind == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    assert(pthread_rwlock_init(&lock, &attr) == 0);
    pthread_rwlockattr_destroy(&attr);
    pthread_rwlock_rdlock(&lock);
    pthread_create(&t, NULL, writer, NULL);
    int again;
    while ((again = pthread_rwlock_tryrdlock(&lock)) == 0) {
        pthread_rwlock_unlock(&lock);
        sched_yield(); /* until the writer waits */
    }
    assert(again == EBUSY && value == 0);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_rdlock(&lock);
    assert(value == 1); /* the waiting writer came first */
    pthread_rwlock_unlock(&lock);
    pthread_join(t, NULL);
    return pthread_rwlock_destroy(&lock);
}
