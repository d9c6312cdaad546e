// A semaphore is destroyed under a waiting thread.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: misuse
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t items;

static void *consumer(void *arg) {
    sem_wait(&items); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&items, 0, 0);
    pthread_create(&t, NULL, consumer, NULL);
    sem_destroy(&items); /* BUG */
    pthread_detach(t);
    return 0;
}
