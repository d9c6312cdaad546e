// A library function writes past the end of a block that only its thread knows.
// RADDLE: -s dpor
// OUTPUT: write of 13 bytes across the end of a block of 8 bytes
// EXPECT: heap-overflow
// MODE: hooks
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static const char *volatile text = "eleven bytes";

static void *work(void *arg) {
    char *p = malloc(8);
    snprintf(p, 100, "%s", text); /* BUG */
    free(p);
    return arg;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, work, NULL);
    pthread_join(a, NULL);
    return 0;
}
