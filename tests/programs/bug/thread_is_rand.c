// Threads that begin with a function of libc: their order decides what they return.
// RADDLE: -s dpor --detect heap
// EXPECT: assertion
// MODE: hooks
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef void *start(void *);

int main(void) {
    pthread_t a, b;
    void *first, *second;
    pthread_create(&a, NULL, (start *)(uintptr_t)rand, NULL);
    pthread_create(&b, NULL, (start *)(uintptr_t)rand, NULL);
    pthread_join(a, &first);
    pthread_join(b, &second);
    assert((int)(intptr_t)first == 1804289383); /* BUG */
    return second == NULL;
}
