// A signal where a broadcast is needed: one condition variable serves two conditions, and the signal may wake the wrong
// waiter.
// RADDLE: -s exitblock:dd
// EXPECT: deadlock
// MODE: plain hooks
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER; /* there is room, there is an item */
static int full;

static void *produce(void *arg) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        while (full)
            pthread_cond_wait(&changed, &m); /* BUG */
        full = 1;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&m);
    }
    return arg;
}

static void *consume(void *arg) {
    pthread_mutex_lock(&m);
    while (!full)
        pthread_cond_wait(&changed, &m); /* BUG */
    full = 0;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, i < 2 ? consume : produce, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
