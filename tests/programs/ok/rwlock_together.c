// Two readers can be inside at the same time: each waits inside for the other.
// RADDLE: -s dfs -n 1000
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock;
static pthread_barrier_t both;

static void *reader(void *arg) {
    pthread_rwlock_rdlock(&lock);
    pthread_barrier_wait(&both);
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[2];
    assert(pthread_rwlock_init(&lock, NULL) == 0 && pthread_barrier_init(&both, NULL, 2) == 0);
    pthread_create(&t[0], NULL, reader, NULL);
    pthread_create(&t[1], NULL, reader, NULL);
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return pthread_rwlock_destroy(&lock) || pthread_barrier_destroy(&both);
}
