// The program ignores that sem_wait was interrupted: it has not got the unit.
// RADDLE: -s random --seed 1 -n 5000
// EXPECT: assertion
// MODE: hooks
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>

static sem_t filled;
static int item;

static void handler(int number) { (void)number; }

static void *consumer(void *arg) {
    sem_wait(&filled);
    assert(item == 1); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t;
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGUSR1, &action, NULL);
    sem_init(&filled, 0, 0);
    pthread_create(&t, NULL, consumer, NULL);
    pthread_kill(t, SIGUSR1);
    item = 1;
    sem_post(&filled);
    pthread_join(t, NULL);
    return 0;
}
