// OpenMP: control variables that a region sets end with it; a loop with ordered iterations frees its data.
// RADDLE: -s dpor --detect all
// EXPECT: none
// MODE: hooks
// FLAGS: -fopenmp
#include <assert.h>
#include <omp.h>

int main(void) {
    omp_set_num_threads(2);
    int before = omp_get_max_threads(), w[3] = {0};
#pragma omp parallel num_threads(2)
    omp_set_num_threads(5);
    assert(omp_get_max_threads() == before);
#pragma omp parallel num_threads(1)
    omp_set_num_threads(7);
    assert(omp_get_max_threads() == before);
#pragma omp parallel for ordered(1) num_threads(2)
    for (int i = 0; i < 3; i++) {
#pragma omp ordered depend(sink : i - 1)
        w[i] = i ? w[i - 1] + 1 : 1;
#pragma omp ordered depend(source)
    }
    return w[2] != 3;
}
