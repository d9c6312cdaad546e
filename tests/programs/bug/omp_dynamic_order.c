// OpenMP: the assignment of a dynamic loop's iterations to threads is not determined.
// RADDLE: -s dpor
// EXPECT: assertion
// COMPILE: gcc clang
// FLAGS: -fopenmp
#include <assert.h>
#include <omp.h>

int main(void) {
    int who[3] = {0};
#pragma omp parallel for num_threads(2) schedule(dynamic)
    for (int i = 0; i < 3; i++)
        who[i] = omp_get_thread_num();
    assert(who[0] || who[1] || !who[2]); /* BUG */
    return 0;
}
