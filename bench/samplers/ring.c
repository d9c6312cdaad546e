/*
 * ring.c N - each of N threads takes its number from its neighbour's, plus one. No thread waits, so the order of
 * the threads decides the numbers. The program fails only if every thread comes after its neighbour.
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum { MOST = 16 };
static int token[MOST + 1];

static void *take(void *arg) {
    intptr_t me = (intptr_t)arg;
    token[me] = token[me - 1] + 1;
    return arg;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 5;
    pthread_t t[MOST];
    token[0] = 1;
    for (intptr_t i = n; i > 0; i--) /* the last thread of the ring first */
        pthread_create(&t[i - 1], NULL, take, (void *)i);
    for (int i = 0; i < n; i++)
        pthread_join(t[i], NULL);
    assert(token[n] != n + 1);
    return 0;
}
