// OpenMP: with nowait the second loop may read values that the first has not written yet.
// RADDLE: -s dpor
// EXPECT: assertion
// COMPILE: gcc clang
// MODE: hooks
// FLAGS: -fopenmp
#include <assert.h>

int main(void) {
    int a[2] = {0}, b[2] = {0};
#pragma omp parallel num_threads(2)
    {
#pragma omp for nowait
        for (int i = 0; i < 2; i++)
            a[i] = 1;
#pragma omp for
        for (int i = 0; i < 2; i++)
            b[i] = a[1 - i];
    }
    assert(b[0] + b[1] == 2); /* BUG */
    return 0;
}
