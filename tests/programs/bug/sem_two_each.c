// Three threads need two of three units each and take them one by one.
// RADDLE: -s random --seed 1 -n 5000
// EXPECT: deadlock
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t units;

static void *worker(void *arg) {
    sem_wait(&units);
    sem_wait(&units); /* BUG */
    sem_post(&units);
    sem_post(&units);
    return arg;
}

int main(void) {
    pthread_t t[3];
    sem_init(&units, 0, 3);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return sem_destroy(&units);
}
