// Cancelled with the semaphore in hand, and no handler to give it back.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: deadlock
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t unit;

static void *worker(void *arg) {
    sem_wait(&unit);
    sched_yield();
    pthread_testcancel();
    sem_post(&unit);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&unit, 0, 1);
    pthread_create(&t, NULL, worker, NULL);
    pthread_cancel(t);
    pthread_join(t, NULL);
    sem_wait(&unit); /* BUG */
    return 0;
}
