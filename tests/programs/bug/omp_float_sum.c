// OpenMP: the sum of floating-point numbers is a reduction, their count is not. gcc has no hook at the atomic
// instruction of the reduction: it orders no accesses, so the race is reported all the same.
// RADDLE: -s dpor --detect races
// EXPECT: data-race
// COMPILE: gcc
// MODE: hooks
// FLAGS: -fopenmp
// UNSEEN: memory accesses in main._omp_fn.0() (the compiler's code for an OpenMP atomic or reduction, without hooks)
#include <stdio.h>

int main(void) {
    double sum = 0;
    int count = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(2) /* BUG */
    for (int i = 0; i < 2; i++) {
        sum += i;
        count++; /* BUG */
    }
    printf("%g %d\n", sum, count);
    return 0;
}
