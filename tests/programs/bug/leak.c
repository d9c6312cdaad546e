// The thread that comes second overwrites the only pointer to the block of the first one.
// RADDLE: -s dpor --detect leaks
// EXPECT: leak
// MODE: hooks
// OUTPUT: leak: 100 bytes in 1 block that nothing leads to when the program ends
#include <pthread.h>
#include <stdlib.h>

static char *volatile cache;

static void *get(void *arg) {
    (void)arg;
    if (!cache)
        cache = malloc(100); /* BUG */
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, get, NULL);
    pthread_create(&b, NULL, get, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
