// Between begin and end no other thread runs; a thread that blocks there yields to the others.
// RADDLE: -s dfs --detect none
// EXPECT: none
// MODE: hooks
#include <pthread.h>
#include <raddle.h>
#include <semaphore.h>

static int counter;
static sem_t turn;

static void bump(void) {
    raddle_atomic_begin();
    int old = counter;
    counter = old + 1;
    raddle_atomic_end();
}

static void *first(void *arg) {
    raddle_atomic_begin();
    bump();
    sem_wait(&turn);
    raddle_atomic_end();
    return arg;
}

static void *second(void *arg) {
    bump();
    sem_post(&turn);
    return arg;
}

int main(void) {
    pthread_t a, b;
    sem_init(&turn, 0, 0);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    raddle_assert(counter == 2);
    return 0;
}
