/*
 * reads.c - the cost of one read, in one long execution: every access is instrumented. With an argument "deep" the
 * stack above the loop is larger than the part that the rule for loops that wait compares.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static long rounds;
static volatile int data[8];

static __attribute__((noinline)) int add(void) {
    int sum = 0;
    for (long i = 0; i < rounds; i++)
        sum += data[i % 8];
    return sum;
}

static __attribute__((noinline)) int deep(void) {
    char room[4096];
    memset(room, 1, sizeof room);
    __asm__ volatile("" : : "r"(room) : "memory");
    return add() + room[rounds % 4096];
}

static void *work(void *arg) {
    int sum = strcmp(arg, "deep") == 0 ? deep() : add();
    return sum == -1 ? arg : NULL;
}

int main(int argc, char **argv) {
    pthread_t t;
    rounds = argc > 2 ? atol(argv[2]) : 100000;
    pthread_create(&t, NULL, work, argc > 1 ? argv[1] : "");
    pthread_join(t, NULL);
    return 0;
}
