// Without writer preference a reader may read again, whoever waits to write.
// RADDLE: -s dfs -n 2000
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static int get(void) {
    pthread_rwlock_rdlock(&lock);
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
    pthread_rwlock_wrlock(&lock);
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
