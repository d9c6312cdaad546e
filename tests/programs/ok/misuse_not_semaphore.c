// A semaphore has no owner: a thread may post without having waited. At its maximum a post fails.
// RADDLE: -s dfs -n 500
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t lock, full;

static void *other(void *arg) {
    assert(sem_post(&lock) == 0);
    assert(sem_wait(&full) == 0);
    assert(sem_post(&full) == 0);
    return arg;
}

int main(void) {
    pthread_t t;
    int value = 0;
    assert(sem_init(&full, 0, SEM_VALUE_MAX) == 0);
    assert(sem_init(&lock, 0, 1) == 0);
    sem_wait(&lock);
    pthread_create(&t, NULL, other, NULL);
    sem_wait(&lock);
    pthread_join(t, NULL);
    assert(sem_getvalue(&full, &value) == 0 && value == SEM_VALUE_MAX);
    return sem_destroy(&lock) || sem_destroy(&full);
}
