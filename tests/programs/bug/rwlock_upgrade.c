// Two readers find damaged data and ask for the write lock without releasing the read lock.
// RADDLE: -s dfs
// EXPECT: deadlock
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int broken = 1;

static void *checker(void *arg) {
    pthread_rwlock_rdlock(&lock);
    if (broken) {
        pthread_rwlock_wrlock(&lock); /* BUG */
        broken = 0;
        pthread_rwlock_unlock(&lock);
    }
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, checker, NULL);
    pthread_create(&t[1], NULL, checker, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
