// A thread may detach itself, or be detached by another one, before or after its end; another thread may join it.
// RADDLE: -s random --seed 1 -n 300
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t done;

static void *by_itself(void *arg) {
    assert(pthread_detach(pthread_self()) == 0);
    sem_post(&done);
    return arg;
}

static void *plain(void *arg) {
    sem_post(&done);
    return arg;
}

static void *joiner(void *arg) {
    assert(pthread_join(*(pthread_t *)arg, NULL) == 0);
    return NULL;
}

int main(void) {
    pthread_t t[4];
    sem_init(&done, 0, 0);
    pthread_create(&t[0], NULL, by_itself, NULL);
    pthread_create(&t[1], NULL, plain, NULL);
    assert(pthread_detach(t[1]) == 0);
    pthread_create(&t[2], NULL, plain, NULL);
    pthread_create(&t[3], NULL, joiner, &t[2]);
    for (int i = 0; i < 3; i++)
        sem_wait(&done);
    return pthread_join(t[3], NULL);
}
