// A thread that believes to be the last one destroys the lock; the other thread comes later.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: misuse
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER, lock = PTHREAD_MUTEX_INITIALIZER;
static int arrived;

static void *worker(void *arg) {
    pthread_mutex_lock(&count_lock);
    int last = ++arrived == 2;
    pthread_mutex_unlock(&count_lock);
    if (last) {
        pthread_mutex_destroy(&lock); /* BUG */
        return arg;
    }
    pthread_mutex_lock(&lock);   /* BUG */
    pthread_mutex_unlock(&lock); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, worker, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
