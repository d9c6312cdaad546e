// Two spin locks in both orders: two threads spin for ever.
// RADDLE: -s dfs
// EXPECT: deadlock
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>

static pthread_spinlock_t a, b;

static void *first(void *arg) {
    pthread_spin_lock(&a);
    pthread_spin_lock(&b); /* BUG */
    pthread_spin_unlock(&b);
    pthread_spin_unlock(&a);
    return arg;
}

static void *second(void *arg) {
    pthread_spin_lock(&b);
    pthread_spin_lock(&a); /* BUG */
    pthread_spin_unlock(&a);
    pthread_spin_unlock(&b);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_spin_init(&a, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_init(&b, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&t[0], NULL, first, NULL);
    pthread_create(&t[1], NULL, second, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
