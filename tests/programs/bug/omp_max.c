// OpenMP: the largest number is a reduction, the count is not. Neither compiler has a hook at the atomic instruction of
// the reduction: it orders no accesses, so the race is reported all the same.
// RADDLE: -s dpor --detect races
// EXPECT: data-race
// COMPILE: clang
// MODE: hooks
// FLAGS: -fopenmp
// UNSEEN: memory accesses in .omp_outlined.() (the compiler's code for an OpenMP atomic or reduction, without hooks)
#include <stdio.h>

int main(void) {
    int most = -1, count = 0;
#pragma omp parallel for reduction(max : most) num_threads(2)
    for (int i = 0; i < 2; i++) {
        if (i > most)
            most = i;
        count++;
    }
    printf("%d %d\n", most, count);
    return 0;
}
