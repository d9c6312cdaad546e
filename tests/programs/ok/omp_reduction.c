// OpenMP: a reduction over a dynamic loop, with any assignment of iterations to threads.
// RADDLE: -s dpor
// EXPECT: none
// COMPILE: gcc clang
// FLAGS: -fopenmp
// OUTPUT: every schedule of this test on this input is equivalent to one that was run
#include <assert.h>

int main(void) {
    int sum = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum) schedule(dynamic)
    for (int i = 0; i < 3; i++)
        sum += i;
    assert(sum == 3);
    return 0;
}
