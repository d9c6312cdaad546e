// A semaphore that is used as a lock begins at two.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: assertion
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t lock;
static volatile int inside;

static void *worker(void *arg) {
    sem_wait(&lock);
    inside++;
    sched_yield();
    assert(inside == 1); /* BUG */
    inside--;
    sem_post(&lock);
    return arg;
}

int main(void) {
    pthread_t t[2];
    sem_init(&lock, 0, 2);
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, worker, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
