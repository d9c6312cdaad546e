// A write to the byte before a block: the report names that block.
// RADDLE: -s dpor
// EXPECT: heap-overflow
// MODE: hooks
// OUTPUT:   at byte -20 of heap(T1)+0x20, 16 bytes
#include <pthread.h>
#include <stdlib.h>

static void *work(void *arg) {
    volatile char *p = malloc(16);
    volatile long before = -20;
    p[before] = 1; /* BUG */
    free((void *)p);
    return arg;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, work, NULL);
    pthread_join(a, NULL);
    return 0;
}
