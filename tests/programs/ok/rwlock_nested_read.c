// Without writer preference a reader may lock a second time while a writer waits.
// RADDLE: -s dfs -n 2000
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifdef BROKEN
static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
#else
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
#endif
static int value;

static int get(void) {
    pthread_rwlock_rdlock(&lock); /* BUG */
    int v = value;
    pthread_rwlock_unlock(&lock);
    return v;
}

static void *reader(void *arg) {
    pthread_rwlock_rdlock(&lock);
    int v = value;
    assert(get() == v);
    pthread_rwlock_unlock(&lock);
    return arg;
}

static void *writer(void *arg) {
    pthread_rwlock_wrlock(&lock); /* BUG */
    value++;
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, reader, NULL);
    pthread_create(&t[1], NULL, writer, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
