// Two threads take turns with two semaphores.
// RADDLE: -s dfs -n 1000
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t ping, pong;
static int turns;

static void *left(void *arg) {
    for (int i = 0; i < 3; i++) {
        assert(sem_wait(&ping) == 0);
        assert(turns++ % 2 == 0);
        assert(sem_post(&pong) == 0);
    }
    return arg;
}

static void *right(void *arg) {
    for (int i = 0; i < 3; i++) {
        assert(sem_wait(&pong) == 0);
        assert(turns++ % 2 == 1);
        assert(sem_post(&ping) == 0);
    }
    return arg;
}

int main(void) {
    pthread_t t[2];
    assert(sem_init(&ping, 0, 1) == 0 && sem_init(&pong, 0, 0) == 0);
    pthread_create(&t[0], NULL, left, NULL);
    pthread_create(&t[1], NULL, right, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(turns == 6);
    return sem_destroy(&ping) || sem_destroy(&pong);
}
