// A semaphore is destroyed and initialised again while a thread is about to wait for it: the wait finds it destroyed,
// or finds the new one.
// RADDLE: -s dfs --keep-going
// EXPECT: misuse
// FINDINGS: 1
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t free_slots;

static void *worker(void *arg) {
    sem_wait(&free_slots); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&free_slots, 0, 0);
    pthread_create(&t, NULL, worker, NULL);
    sem_destroy(&free_slots);
    sem_init(&free_slots, 0, 1);
    pthread_join(t, NULL);
    return 0;
}
