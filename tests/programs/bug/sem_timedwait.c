// The program posts even if the timed wait has failed: later two threads are inside.
// RADDLE: -s random --seed 1 -n 5000
// EXPECT: assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t lock;

static void *worker(void *arg) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 5;
    sem_timedwait(&lock, &until);
    sem_post(&lock);
    return arg;
}

int main(void) {
    pthread_t t[2];
    int value = -1;
    sem_init(&lock, 0, 1);
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, worker, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    sem_getvalue(&lock, &value);
    assert(value == 1); /* BUG */
    return 0;
}
