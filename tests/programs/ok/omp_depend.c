// OpenMP: tasks that depend on each other by their variables; the end of the region waits for all.
// RADDLE: -s dpor
// EXPECT: none
// COMPILE: gcc clang
// FLAGS: -fopenmp
// OUTPUT: every schedule of this test on this input is equivalent to one that was run
#include <assert.h>

int main(void) {
    int x = 0, y = 0;
#pragma omp parallel num_threads(2)
#pragma omp single nowait
    {
#pragma omp task shared(x) depend(out : x)
        x = 1;
#pragma omp task shared(x, y) depend(in : x) depend(out : y)
        y = x + 1;
#pragma omp task shared(x, y) depend(in : y) depend(inout : x)
        x += y;
    }
    assert(x == 3 && y == 2);
    return 0;
}
