// OpenMP: locks, nested locks, and trylocks of them.
// RADDLE: -s dpor
// EXPECT: none
// COMPILE: gcc clang
// FLAGS: -fopenmp
// OUTPUT: every schedule of this test on this input is equivalent to one that was run
#include <assert.h>
#include <omp.h>

int main(void) {
    omp_lock_t lock;
    omp_nest_lock_t nest;
    int n = 0, tried = 0;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(2) reduction(+ : tried)
    {
        omp_set_nest_lock(&nest);
        assert(omp_test_nest_lock(&nest) == 2);
        n++;
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
        if (omp_test_lock(&lock)) {
            tried++;
            omp_unset_lock(&lock);
        }
    }
    assert(n == 2 && tried >= 1);
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
    return 0;
}
