// One return path of the thread keeps the lock.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: misuse
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int closed;

static void *closer(void *arg) {
    pthread_mutex_lock(&lock);
    closed = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *worker(void *arg) {
    pthread_mutex_lock(&lock); /* BUG */
    if (closed)
        return arg; /* BUG */
    pthread_mutex_unlock(&lock);
    return arg; /* BUG */
} /* BUG */

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, closer, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
