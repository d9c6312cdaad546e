/*
 * lastzero.c - each of N threads sets an element to the element before it plus one; another thread looks for the
 * last zero.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int array[N + 1];

static void *looks(void *arg) {
    int i = N;
    while (atomic_load(&array[i]) != 0)
        i--;
    return arg;
}

static void *sets(void *arg) {
    int i = (int)(intptr_t)arg;
    atomic_store(&array[i], atomic_load(&array[i - 1]) + 1);
    return NULL;
}

int main(void) {
    pthread_t t[N + 1];
    pthread_create(&t[0], NULL, looks, NULL);
    for (int i = 1; i <= N; i++)
        pthread_create(&t[i], NULL, sets, (void *)(intptr_t)i);
    for (int i = 0; i <= N; i++)
        pthread_join(t[i], NULL);
    return 0;
}
