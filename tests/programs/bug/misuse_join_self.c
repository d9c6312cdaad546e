// A thread joins all threads of a list; it is in the list.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: misuse
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static pthread_t list[2];
static sem_t complete;

static void *worker(void *arg) {
    sem_wait(&complete);
    if (arg)
        for (int i = 0; i < 2; i++)
            pthread_join(list[i], NULL); /* BUG */
    return NULL;
}

int main(void) {
    sem_init(&complete, 0, 0);
    pthread_create(&list[0], NULL, worker, NULL);
    pthread_create(&list[1], NULL, worker, &complete);
    sem_post(&complete);
    sem_post(&complete);
    pthread_exit(NULL);
}
