/*
 * blocks.c - threads that allocate and free all the time, independently of each other: measures the cost of the
 * heap.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum { THREADS = 2, ROUNDS = 500, KEPT = 16 };

static void *work(void *arg) {
    char *kept[KEPT] = {0};
    uint64_t seed = (uintptr_t)arg;
    for (int i = 0; i < ROUNDS; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        unsigned k = (unsigned)(seed >> 40) % KEPT;
        free(kept[k]);
        kept[k] = malloc(16 + (seed >> 50) % 200);
        kept[k][0] = 1;
    }
    for (int k = 0; k < KEPT; k++)
        free(kept[k]);
    return NULL;
}

int main(void) {
    pthread_t t[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return 0;
}
