// OpenMP: critical sections, named ones and an atomic update: no update is lost in any order.
// RADDLE: -s dpor
// EXPECT: none
// COMPILE: gcc clang
// FLAGS: -fopenmp
// OUTPUT: every schedule of this test on this input is equivalent to one that was run
#include <assert.h>

int main(void) {
    int a = 0, b = 0, c = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp critical
        a++;
#pragma omp critical(other)
        b++;
#pragma omp atomic
        c++;
    }
    assert(a == 2 && b == 2 && c == 2);
    return 0;
}
