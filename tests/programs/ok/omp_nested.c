// OpenMP: a region in a region; each team has numbers and a barrier of its own.
// RADDLE: -s random --seed 1 -n 300
// EXPECT: none
// COMPILE: gcc clang
// FLAGS: -fopenmp
#include <assert.h>
#include <omp.h>

int main(void) {
    int seen[2][2] = {{0}};
    omp_set_max_active_levels(2);
    for (int round = 1; round < 3; round++) {
#pragma omp parallel num_threads(2)
        {
            int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
            {
                int inner = omp_get_thread_num();
                assert(omp_get_ancestor_thread_num(1) == outer && omp_get_level() == 2);
                seen[outer][inner]++;
#pragma omp barrier
                assert(seen[outer][!inner] == round);
            }
        }
    }
#pragma omp parallel if (0)
    assert(omp_get_num_threads() == 1 && !omp_in_parallel());
    return 0;
}
