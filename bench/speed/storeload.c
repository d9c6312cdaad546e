/* storeload.c - THREADS threads, each stores to one atomic and loads it. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int x;
static int seen[THREADS];

static void *work(void *arg) {
    int i = (int)(intptr_t)arg;
    atomic_store(&x, i + 1);
    seen[i] = atomic_load(&x);
    return NULL;
}

int main(void) {
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return 0;
}
