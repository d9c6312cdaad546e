// OpenMP: writes before a barrier are visible to all threads behind it.
// RADDLE: -s dpor
// EXPECT: none
// COMPILE: gcc clang
// FLAGS: -fopenmp
// OUTPUT: every schedule of this test on this input is equivalent to one that was run
#include <assert.h>
#include <omp.h>

int main(void) {
    int a[3] = {0}, b[3] = {0};
#pragma omp parallel num_threads(3)
    {
        int me = omp_get_thread_num(), next = (me + 1) % 3;
        a[me] = me + 1;
#pragma omp barrier
        b[me] = a[next];
#pragma omp barrier
        assert(b[next] == a[(next + 1) % 3]);
    }
    return 0;
}
