// The destructor joins the thread of the constructor, which is never told to end.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: deadlock
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static pthread_t helper;
static sem_t request;

static void *serve(void *arg) {
    for (int i = 0; i < 2; i++)
        sem_wait(&request); /* BUG */
    return arg;
}

__attribute__((constructor)) static void begin(void) {
    sem_init(&request, 0, 0);
    pthread_create(&helper, NULL, serve, NULL);
}

__attribute__((destructor)) static void end(void) { pthread_join(helper, NULL); }

int main(void) {
    sem_post(&request);
    return 0;
}
