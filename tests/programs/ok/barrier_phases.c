// Three threads in phases: all writes before the barrier are visible behind it; exactly one thread is the serial one.
// RADDLE: -s random --seed 1 -n 300
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

enum { N = 3, ROUNDS = 2 };
static pthread_barrier_t step;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value[N], serial;

static void *worker(void *arg) {
    intptr_t id = (intptr_t)arg;
    for (int r = 1; r <= ROUNDS; r++) {
        value[id] = r;
        int a = pthread_barrier_wait(&step);
        for (int i = 0; i < N; i++)
            assert(value[i] == r);
        int b = pthread_barrier_wait(&step);
        assert((a == 0 || a == PTHREAD_BARRIER_SERIAL_THREAD) && (b == 0 || b == PTHREAD_BARRIER_SERIAL_THREAD));
        pthread_mutex_lock(&lock);
        serial += (a != 0) + (b != 0);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void) {
    pthread_t t[N];
    assert(pthread_barrier_init(&step, NULL, N) == 0);
    for (intptr_t i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    assert(serial == 2 * ROUNDS);
    return pthread_barrier_destroy(&step);
}
