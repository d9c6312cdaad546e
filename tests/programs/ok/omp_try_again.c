// OpenMP: a thread tries a lock until it has it: a loop that waits.
// RADDLE: -s dpor
// EXPECT: none
// COMPILE: gcc clang
// MODE: hooks
// FLAGS: -fopenmp
// OUTPUT: complete
#include <omp.h>

int main(void) {
    omp_lock_t lock;
    int n = 0;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
    {
        while (!omp_test_lock(&lock)) {
        }
        n++;
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
    return n != 2;
}
