// OpenMP: two critical sections of different names do not exclude each other.
// RADDLE: -s dpor
// EXPECT: assertion
// COMPILE: gcc clang
// MODE: hooks
// FLAGS: -fopenmp
#include <assert.h>
#include <omp.h>

int main(void) {
    int n = 0;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp critical(one)
            n++;
        } else {
#pragma omp critical(two)
            n++;
        }
    }
    assert(n == 2); /* BUG */
    return 0;
}
