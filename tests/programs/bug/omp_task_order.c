// OpenMP: the last of three tasks may run first, also with two threads.
// RADDLE: -s dpor
// EXPECT: assertion
// COMPILE: gcc clang
// FLAGS: -fopenmp
#include <assert.h>

int main(void) {
    int order[3] = {0}, n = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 3; i++) {
#pragma omp task firstprivate(i) shared(order, n)
        {
#pragma omp critical
            order[n++] = i;
        }
    }
    assert(order[0] != 2 || order[1] != 1); /* BUG */
    return 0;
}
