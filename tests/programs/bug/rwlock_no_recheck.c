// Between the read lock and the write lock the result of the check may change, and it is not checked again.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int cached, fills;

static void *lookup(void *arg) {
    pthread_rwlock_rdlock(&lock);
    int hit = cached;
    pthread_rwlock_unlock(&lock);
    if (!hit) {
        pthread_rwlock_wrlock(&lock);
        cached = 1;
        fills++;
        assert(fills == 1); /* BUG */
        pthread_rwlock_unlock(&lock);
    }
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, lookup, NULL);
    pthread_create(&t[1], NULL, lookup, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
