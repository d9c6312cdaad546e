// The named semaphore exists from before, and O_CREAT without O_EXCL does not set its value: the wait never ends.
// RADDLE: -s dfs -n 300
// EXPECT: deadlock
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t *old, *gate;

static void *worker(void *arg) {
    sem_wait(gate); /* BUG */
    sem_post(gate);
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
    old = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
    gate = sem_open(name, O_CREAT, 0600, 1);
    sem_unlink(name);
    if (old == SEM_FAILED || gate == SEM_FAILED)
        return 0;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    return 0;
}
