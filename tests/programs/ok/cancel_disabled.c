// While cancellation is disabled a request stays pending; afterwards the next cancellation point takes it.
// RADDLE: -s random --seed 1 -n 300
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t ready, go;
static int finished, after;

static void *worker(void *arg) {
    int old = -1;
    assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0 && old == PTHREAD_CANCEL_ENABLE);
    sem_post(&ready);
    sem_wait(&go);
    pthread_testcancel();
    finished = 1;
    assert(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old) == 0 && old == PTHREAD_CANCEL_DISABLE);
    pthread_testcancel();
    after = 1;
    return arg;
}

static void *quick(void *arg) { return arg; }

int main(void) {
    pthread_t t;
    void *result = NULL;
    sem_init(&ready, 0, 0);
    sem_init(&go, 0, 0);
    pthread_create(&t, NULL, worker, NULL);
    sem_wait(&ready);
    assert(pthread_cancel(t) == 0);
    sem_post(&go);
    pthread_join(t, &result);
    assert(result == PTHREAD_CANCELED && finished && !after);
    pthread_create(&t, NULL, quick, &go);
    pthread_cancel(t); /* before, after, or instead of its end */
    pthread_join(t, &result);
    assert(result == PTHREAD_CANCELED || result == &go);
    return 0;
}
