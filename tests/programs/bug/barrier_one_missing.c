// One barrier for each round is not enough: the fast thread writes the next round while the slow one reads this one.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>

static pthread_barrier_t step;
static volatile int cell[2];

static void *worker(void *arg) {
    intptr_t id = (intptr_t)arg;
    for (int r = 1; r <= 2; r++) {
        cell[id] = r;
        pthread_barrier_wait(&step);
        sched_yield();
        assert(cell[1 - id] == r); /* BUG */
    }
    return NULL;
}

int main(void) {
    pthread_t t[2];
    pthread_barrier_init(&step, NULL, 2);
    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return pthread_barrier_destroy(&step);
}
