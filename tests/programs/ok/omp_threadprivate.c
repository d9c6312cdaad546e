// OpenMP: threadprivate variables keep their values from region to region, and copyin gives them the master's.
// RADDLE: -s dpor
// EXPECT: none
// COMPILE: gcc clang
// FLAGS: -fopenmp
// OUTPUT: every schedule of this test on this input is equivalent to one that was run
#include <assert.h>
#include <omp.h>

static int mine;
#pragma omp threadprivate(mine)

int main(void) {
#pragma omp parallel num_threads(3)
    mine = omp_get_thread_num() + 1;
#pragma omp parallel num_threads(3)
    assert(mine == omp_get_thread_num() + 1);
    mine = 7;
#pragma omp parallel num_threads(2) copyin(mine)
    assert(mine == 7);
    return 0;
}
