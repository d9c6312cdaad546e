// Shared by the programs that use every compiler hook. Each defines `static void test(void)`, which works on data
// of its own thread only, so the result is the same under every schedule: two threads run it at once, and then OK.
#ifndef CHECK_H
#define CHECK_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(cond)                                                    \
    do {                                                               \
        if (!(cond)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond); \
            abort();                                                   \
        }                                                              \
    } while (0)

static void test(void);

static void *run(void *arg) {
    test();
    return arg;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&t[i], NULL, run, NULL) == 0);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_join(t[i], NULL) == 0);
    puts("OK");
    return 0;
}

#endif
