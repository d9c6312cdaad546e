/*
 * switch.c - measures the bare switch of stack and thread pointer, without a scheduler: a lower bound for the cost
 * of a point.
 */
#include "rt/thread/ctx.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 5000000 };

static void *main_sp, *other_sp, *tp;

static void other(void *arg) {
    (void)arg;
    for (;;)
        rd_ctx_switch(&other_sp, main_sp, tp);
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(void) {
    rd_ctx_init();
    tp = rd_ctx_thread_pointer();
    char *stack = aligned_alloc(4096, 65536);
    if (!stack)
        return 1;
    other_sp = rd_ctx_prepare(stack + 65536, other, NULL);
    double best = 1;
    for (int round = 0; round < 5; round++) {
        double start = seconds();
        for (int i = 0; i < ROUNDS; i++)
            rd_ctx_switch(&main_sp, other_sp, tp);
        double one = (seconds() - start) / (2.0 * ROUNDS);
        best = one < best ? one : best;
    }
    printf("switch of stack and thread pointer %6.1f ns\n", best * 1e9);
    free(stack);
    return 0;
}
