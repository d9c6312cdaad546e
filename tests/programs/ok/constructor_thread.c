// A constructor starts a thread before main, a destructor ends it after main.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static pthread_t helper;
static sem_t request, answer;
static int stop, served;

static void *serve(void *arg) {
    for (;;) {
        sem_wait(&request);
        if (stop)
            return arg;
        served++;
        sem_post(&answer);
    }
}

__attribute__((constructor)) static void begin(void) {
    sem_init(&request, 0, 0);
    sem_init(&answer, 0, 0);
    pthread_create(&helper, NULL, serve, &served);
}

__attribute__((destructor)) static void end(void) {
    void *result = NULL;
    stop = 1;
    sem_post(&request);
    pthread_join(helper, &result);
    assert(result == &served && served == 2);
}

int main(void) {
    for (int i = 0; i < 2; i++) {
        sem_post(&request);
        sem_wait(&answer);
    }
    return 0;
}
