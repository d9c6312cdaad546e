// OpenMP: the ordered parts of a loop come in the order of its iterations.
// RADDLE: -s dpor
// EXPECT: none
// COMPILE: gcc clang
// FLAGS: -fopenmp
// OUTPUT: every schedule of this test on this input is equivalent to one that was run
#include <assert.h>

int main(void) {
    int order[8], n = 0;
#pragma omp parallel for ordered num_threads(2) schedule(dynamic)
    for (int i = 0; i < 3; i++) {
#pragma omp ordered
        order[n++] = i;
    }
#pragma omp parallel for ordered num_threads(2) schedule(static, 2)
    for (int i = 3; i < 8; i++) {
#pragma omp ordered
        order[n++] = i;
    }
    for (int i = 0; i < 8; i++)
        assert(order[i] == i);
    return 0;
}
