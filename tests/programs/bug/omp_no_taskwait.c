// OpenMP: the parent uses the result of a task without waiting for it.
// RADDLE: -s dpor
// EXPECT: assertion
// COMPILE: gcc clang
// FLAGS: -fopenmp
#include <assert.h>

int main(void) {
    int result = 0, seen = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task shared(result)
        {
#pragma omp critical
            result = 1;
        }
#pragma omp critical
        seen = result;
    }
    assert(seen == 1); /* BUG */
    return 0;
}
