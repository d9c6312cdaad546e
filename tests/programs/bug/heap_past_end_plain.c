// A write behind a block by code without hooks: when the block is freed, the bytes behind it reveal the write.
// RADDLE: -s dpor
// EXPECT: heap-overflow
// MODE: plain
// OUTPUT: heap-overflow: what stands after the block was overwritten; seen when it was freed
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char *name;

static void *set(void *arg) {
    memcpy(name, arg, 13);
    return NULL;
}

int main(void) {
    pthread_t a;
    name = malloc(12);
    pthread_create(&a, NULL, set, "twelve bytes");
    pthread_join(a, NULL);
    free(name); /* BUG */
    return 0;
}
