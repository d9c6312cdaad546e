// A recursive mutex is unlocked once too few if the cache was already filled.
// RADDLE: -s dfs
// EXPECT: misuse deadlock
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int cached;

static int lookup(void) {
    pthread_mutex_lock(&lock); /* BUG */
    if (cached)
        return cached; /* still locked */
    cached = 1;
    pthread_mutex_unlock(&lock);
    return cached;
}

static void *worker(void *arg) {
    pthread_mutex_lock(&lock); /* BUG */
    lookup();
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
