// After two attempts of a minute each the program assumes that the server is dead: but it was only slow.
// RADDLE: -s random --seed 1 -n 10000
// EXPECT: assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t request, answer;

static void *server(void *arg) {
    sem_wait(&request);
    sem_post(&answer);
    return arg;
}

static int ask(void) {
    for (int tries = 0; tries < 2; tries++) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 60;
        if (sem_timedwait(&answer, &until) == 0)
            return 0;
    }
    return -1;
}

int main(void) {
    pthread_t t;
    sem_init(&request, 0, 0);
    sem_init(&answer, 0, 0);
    pthread_create(&t, NULL, server, NULL);
    sem_post(&request);
    assert(ask() == 0); /* BUG */
    pthread_join(t, NULL);
    return 0;
}
