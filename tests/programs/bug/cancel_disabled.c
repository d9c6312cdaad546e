// The worker has disabled cancellation; main cancels it and waits, instead of asking it to stop.
// RADDLE: -s random --seed 1 -n 500
// EXPECT: deadlock
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t jobs;

static void *worker(void *arg) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    sem_wait(&jobs); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&jobs, 0, 0);
    pthread_create(&t, NULL, worker, NULL);
    pthread_cancel(t);
    pthread_join(t, NULL);
    return 0;
}
