// OpenMP: both threads may find the place free: the check and the write are protected separately.
// RADDLE: -s dpor
// EXPECT: assertion
// COMPILE: gcc clang
// FLAGS: -fopenmp
#include <assert.h>

int main(void) {
    int taken = 0, owners = 0;
#pragma omp parallel num_threads(2)
    {
        int free_place;
#pragma omp critical
        free_place = !taken;
        if (free_place) {
#pragma omp critical
            {
                taken = 1;
                owners++;
            }
        }
    }
    assert(owners == 1); /* BUG */
    return 0;
}
