// OpenMP: the third task does not declare that it depends on y: it may come before the second.
// RADDLE: -s dpor
// EXPECT: assertion
// COMPILE: gcc clang
// MODE: hooks
// FLAGS: -fopenmp
#include <assert.h>

int main(void) {
    int x = 0, y = 0, z = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task shared(x) depend(out : x)
        x = 1;
#pragma omp task shared(x, y) depend(in : x) depend(out : y)
        y = x;
#pragma omp task shared(x, y, z) depend(in : x)
        z = x + y;
    }
    assert(z == 2); /* BUG */
    return 0;
}
