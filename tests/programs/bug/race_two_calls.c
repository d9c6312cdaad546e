// Two calls of a library function write the same memory: the report names the memory, and how it is written.
// RADDLE: -s dpor --detect races
// EXPECT: data-race
// MODE: hooks
// OUTPUT: T2 writes shared, T1 writes it, too, and nothing orders the two
// OUTPUT: T2 writes it by a call of snprintf of libc.so.6 in work
#include <pthread.h>
#include <stdio.h>

static int shared;

static void *work(void *arg) {
    char text[32];
    snprintf(text, sizeof text, "%d%n", 12, &shared); /* BUG */
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
