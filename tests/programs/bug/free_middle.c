// The freed pointer points into the block, not to its start.
// RADDLE: -s dpor
// EXPECT: misuse
// OUTPUT: misuse: free() of a pointer into a block
// OUTPUT:   at byte 8 of
#include <pthread.h>
#include <stdlib.h>

static char *volatile text;

static void *drop(void *arg) {
    (void)arg;
    free(text); /* BUG */
    return NULL;
}

int main(void) {
    pthread_t a;
    text = malloc(40);
    text += 8;
    pthread_create(&a, NULL, drop, NULL);
    pthread_join(a, NULL);
    return 0;
}
