// The freed memory was never allocated.
// RADDLE: -s dpor
// EXPECT: misuse
// OUTPUT: misuse: free() of a pointer that is no block
#include <pthread.h>
#include <stdlib.h>

static char text[40];
static char *volatile current = text;

static void *drop(void *arg) {
    (void)arg;
    free(current); /* BUG */
    return NULL;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, drop, NULL);
    pthread_join(a, NULL);
    return 0;
}
