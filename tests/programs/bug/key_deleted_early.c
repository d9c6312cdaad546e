// main deletes the key as soon as it has the result; a worker that has not ended yet loses its destructor.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: assertion
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stddef.h>

static pthread_key_t key;
static sem_t result;
static int released;

static void release(void *value) { *(int *)value = 1; }

static void *worker(void *arg) {
    pthread_setspecific(key, &released);
    sem_post(&result);
    sched_yield();
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&result, 0, 0);
    pthread_key_create(&key, release);
    pthread_create(&t, NULL, worker, NULL);
    sem_wait(&result);
    pthread_key_delete(key);
    pthread_join(t, NULL);
    assert(released); /* BUG */
    return 0;
}
