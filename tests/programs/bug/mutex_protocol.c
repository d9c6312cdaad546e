// Priority inheritance does not prevent a deadlock of two locks in both orders.
// RADDLE: -s dfs
// EXPECT: deadlock
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t a, b;

static void *first(void *arg) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); /* BUG */
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); /* BUG */
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&a, &attr);
    pthread_mutex_init(&b, &attr);
    pthread_create(&t[0], NULL, first, NULL);
    pthread_create(&t[1], NULL, second, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
