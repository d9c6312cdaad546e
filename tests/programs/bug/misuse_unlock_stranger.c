// The wrong thread unlocks: it had the lock before, but has released it.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: misuse
// TIMES: 20
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int tasks = 1;

static void *owner(void *arg) {
    pthread_mutex_lock(&lock);
    tasks--;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *stranger(void *arg) {
    pthread_mutex_lock(&lock);
    int left = tasks;
    pthread_mutex_unlock(&lock);
    if (left)
        pthread_mutex_unlock(&lock); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, owner, NULL);
    pthread_create(&t[1], NULL, stranger, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
