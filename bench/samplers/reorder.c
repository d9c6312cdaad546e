/*
 * reorder.c N - N threads store to `ready`, then to `full`; one thread reads both and must see both stores or none.
 * The program fails only if the reader comes after a first store, and before every second one.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int ready, full;

static void *set(void *arg) {
    ready = 1;
    full = 1;
    return arg;
}

static void *check(void *arg) {
    int was_ready = ready;
    int was_full = full;
    assert(was_ready == was_full);
    return arg;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 10;
    pthread_t *setters = malloc((size_t)n * sizeof *setters), checker;
    for (int i = 0; i < n; i++)
        pthread_create(&setters[i], NULL, set, NULL);
    pthread_create(&checker, NULL, check, NULL);
    for (int i = 0; i < n; i++)
        pthread_join(setters[i], NULL);
    pthread_join(checker, NULL);
    free(setters);
    return 0;
}
