/*
 * locks.c N - one thread reads a counter twice under its lock and expects no change; N threads add to it under
 * another lock.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER, wrong = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *watch(void *arg) {
    pthread_mutex_lock(&right);
    int before = counter;
    counter++;
    counter--;
    assert(counter == before);
    pthread_mutex_unlock(&right);
    return arg;
}

static void *add(void *arg) {
    pthread_mutex_lock(&wrong);
    counter++;
    pthread_mutex_unlock(&wrong);
    return arg;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 3;
    pthread_t *adders = malloc((size_t)n * sizeof *adders), watcher;
    pthread_create(&watcher, NULL, watch, NULL);
    for (int i = 0; i < n; i++)
        pthread_create(&adders[i], NULL, add, NULL);
    pthread_join(watcher, NULL);
    for (int i = 0; i < n; i++)
        pthread_join(adders[i], NULL);
    free(adders);
    return 0;
}
