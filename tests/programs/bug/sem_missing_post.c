// A thread that finds the store empty ends without posting the semaphore.
// RADDLE: -s dfs
// EXPECT: deadlock
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t guard;
static int store = 1;

static int take(void) {
    sem_wait(&guard); /* BUG */
    if (store == 0)
        return -1;
    store--;
    sem_post(&guard);
    return 0;
}

static void *worker(void *arg) {
    take();
    return arg;
}

int main(void) {
    pthread_t t[2];
    sem_init(&guard, 0, 1);
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, worker, NULL);
    take();
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
