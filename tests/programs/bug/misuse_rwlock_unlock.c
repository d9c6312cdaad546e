// A read-write lock is unlocked by a thread that holds it neither for reading nor for writing.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: misuse
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *reader(void *arg) {
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    return arg;
}

static void *trier(void *arg) {
    (void)pthread_rwlock_trywrlock(&lock);
    pthread_rwlock_unlock(&lock); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, reader, NULL);
    pthread_create(&t[1], NULL, trier, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
