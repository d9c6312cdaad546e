// Two semaphores used as locks, taken in both orders.
// RADDLE: -s dfs
// EXPECT: deadlock
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t a, b;

static void *first(void *arg) {
    sem_wait(&a);
    sem_wait(&b); /* BUG */
    sem_post(&b);
    sem_post(&a);
    return arg;
}

static void *second(void *arg) {
    sem_wait(&b);
    sem_wait(&a); /* BUG */
    sem_post(&a);
    sem_post(&b);
    return arg;
}

int main(void) {
    pthread_t t[2];
    sem_init(&a, 0, 1);
    sem_init(&b, 0, 1);
    pthread_create(&t[0], NULL, first, NULL);
    pthread_create(&t[1], NULL, second, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
