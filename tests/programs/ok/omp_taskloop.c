// OpenMP: the tasks of a taskloop share its iterations, and its end waits for them; counting up and down, with private
// variables, and in one thread.
// RADDLE: -s dpor
// EXPECT: none
// COMPILE: gcc clang
// FLAGS: -fopenmp
// OUTPUT: every schedule of this test on this input is equivalent to one that was run
#include <assert.h>

int main(void) {
    int done[4] = {0}, given = 5, last = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp taskloop num_tasks(2) shared(done) firstprivate(given) lastprivate(last)
        for (int i = 0; i < 4; i++) {
            done[i] += given;
            last = i;
        }
        assert(done[0] == 5 && done[1] == 5 && done[2] == 5 && done[3] == 5 && last == 3);
    }
#pragma omp taskloop grainsize(2) shared(done)
    for (int i = 3; i >= 0; i--)
        done[i]++;
    assert(done[0] == 6 && done[3] == 6);
    return 0;
}
