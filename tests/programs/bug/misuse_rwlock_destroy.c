// A read-write lock is destroyed while a reader holds it.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: misuse
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *reader(void *arg) {
    pthread_rwlock_rdlock(&lock);
    sched_yield();
    pthread_rwlock_unlock(&lock); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, reader, NULL);
    sched_yield();
    if (pthread_rwlock_trywrlock(&lock) != 0) {
        pthread_rwlock_destroy(&lock); /* BUG */
        pthread_join(t, NULL);
        return 0;
    }
    pthread_rwlock_unlock(&lock);
    pthread_join(t, NULL);
    return pthread_rwlock_destroy(&lock);
}
