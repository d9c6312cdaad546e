// RADDLE: -s dpor
// EXPECT: none
// MODE: hooks
/*
 * The size of output into a buffer is computed before the output, but not for a conversion that writes to memory
 * (%n).
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *print(void *arg) {
    char *text = malloc(64);
    int n = 0;
    short few = 0;
    sprintf(text, "%d%n", 12, &n);
    snprintf(text, 64, "%d%hn%%n", 345, &few);
    assert(n == 2 && few == 3);
    free(text);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, print, NULL);
    print(NULL);
    pthread_join(t, NULL);
    return 0;
}
