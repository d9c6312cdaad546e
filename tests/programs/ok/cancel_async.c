// Asynchronous cancellation needs no cancellation point; handlers and destructors of keys run all the same.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stddef.h>

static pthread_key_t key;
static sem_t ready;
static int handled, destroyed;

static void handle(void *arg) { *(int *)arg += 1; }
static void destroy(void *value) { *(int *)value += handled; }

static void *spinner(void *arg) {
    int old = -1;
    pthread_setspecific(key, &destroyed);
    pthread_cleanup_push(handle, &handled);
    assert(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old) == 0 && old == PTHREAD_CANCEL_DEFERRED);
    sem_post(&ready);
    for (;;)
        sched_yield();
    pthread_cleanup_pop(0);
    return arg;
}

int main(void) {
    pthread_t t;
    void *result = NULL;
    sem_init(&ready, 0, 0);
    pthread_key_create(&key, destroy);
    pthread_create(&t, NULL, spinner, NULL);
    sem_wait(&ready);
    assert(pthread_cancel(t) == 0);
    pthread_join(t, &result);
    assert(result == PTHREAD_CANCELED && handled == 1 && destroyed == 1);
    return 0;
}
