// A rare path waits on a condition without holding the mutex.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: misuse
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *waiter(void *arg) {
    pthread_mutex_lock(&lock);
    int now = ready;
    pthread_mutex_unlock(&lock);
    if (!now)
        pthread_cond_wait(&changed, &lock); /* BUG */
    return arg;
}

static void *setter(void *arg) {
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, waiter, NULL);
    pthread_create(&t[1], NULL, setter, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
