// OpenMP: the sum of floating-point numbers is a reduction, the count of them is forgotten. gcc has no hook at the atomic
// instruction of the reduction: it orders nothing, so the race is one all the same.
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
