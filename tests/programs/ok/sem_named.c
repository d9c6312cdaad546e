// A named semaphore, opened twice under one name, is one semaphore.
// RADDLE: -s dfs -n 300
// EXPECT: none
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t *here, *there;
static int value;

static void *worker(void *arg) {
    value = 1;
    assert(sem_post(there) == 0);
    return arg;
}

int main(int argc, char **argv) {
    pthread_t t;
    char name[32];
    unsigned hash = 5381; /* builds that are tested at the same time need different names */
    for (const char *p = argv[argc - 1]; *p; p++)
        hash = hash * 33 + (unsigned char)*p;
    snprintf(name, sizeof name, "/test-%08x", hash);
    sem_unlink(name);
    assert(sem_open(name, 0) == SEM_FAILED && errno == ENOENT);
    here = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
    there = sem_open(name, 0);
    assert(here != SEM_FAILED && there != SEM_FAILED);
    assert(sem_unlink(name) == 0);
    pthread_create(&t, NULL, worker, NULL);
    assert(sem_wait(here) == 0);
    assert(value == 1);
    pthread_join(t, NULL);
    return sem_close(here) || sem_close(there);
}
