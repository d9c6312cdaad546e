// OpenMP: with nogroup the loop does not wait for its tasks.
// RADDLE: -s dpor
// EXPECT: assertion
// COMPILE: gcc clang
// MODE: hooks
// FLAGS: -fopenmp
#include <assert.h>

int main(void) {
    int done[2] = {0}, seen = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp taskloop nogroup num_tasks(2) shared(done)
        for (int i = 0; i < 2; i++)
            done[i] = 1;
        seen = done[0] + done[1];
    }
    assert(seen == 2); /* BUG */
    return 0;
}
