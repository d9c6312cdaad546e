// main ends with pthread_exit, so the program continues without it; the last thread waits for a post that never comes.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: deadlock
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t requests;

static void *server(void *arg) {
    sem_wait(&requests); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&requests, 0, 0);
    pthread_create(&t, NULL, server, NULL);
    pthread_detach(t);
    pthread_exit(NULL);
}
