// Readers share a read-write lock, a writer is alone; no reader ever sees a partial write.
// RADDLE: -s random --seed 1 -n 300
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int low, high;

static void *reader(void *arg) {
    for (int i = 0; i < 2; i++) {
        assert(pthread_rwlock_rdlock(&lock) == 0);
        int before = low;
        sched_yield();
        assert(low == before && high == before);
        assert(pthread_rwlock_unlock(&lock) == 0);
    }
    return arg;
}

static void *writer(void *arg) {
    assert(pthread_rwlock_wrlock(&lock) == 0);
    low++;
    sched_yield();
    high++;
    assert(pthread_rwlock_unlock(&lock) == 0);
    return arg;
}

int main(void) {
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, i < 2 ? reader : writer, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    assert(low == 2 && high == 2);
    return pthread_rwlock_destroy(&lock);
}
