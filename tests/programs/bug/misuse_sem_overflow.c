// A semaphore with an initial value near the maximum is posted once too often.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: misuse
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t credits;

static void *giver(void *arg) {
    sem_post(&credits); /* BUG */
    return arg;
}

static void *taker(void *arg) {
    sem_wait(&credits);
    return arg;
}

int main(void) {
    pthread_t t[3];
    sem_init(&credits, 0, SEM_VALUE_MAX - 1);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, i < 2 ? giver : taker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
