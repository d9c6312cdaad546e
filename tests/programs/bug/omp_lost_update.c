// OpenMP: an unprotected update in a parallel loop.
// RADDLE: -s dpor
// EXPECT: assertion
// COMPILE: gcc clang
// MODE: hooks
// FLAGS: -fopenmp
#include <assert.h>

int main(void) {
    int sum = 0;
#pragma omp parallel for num_threads(2) shared(sum)
    for (int i = 0; i < 2; i++)
        sum++;
    assert(sum == 2); /* BUG */
    return 0;
}
