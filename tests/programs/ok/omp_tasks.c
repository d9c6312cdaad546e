// OpenMP: tasks, taskwait, a group, tasks that run at once, and results in the parent's variables.
// RADDLE: -s dpor
// EXPECT: none
// COMPILE: gcc clang
// FLAGS: -fopenmp
// OUTPUT: every schedule of this test on this input is equivalent to one that was run
#include <assert.h>

int main(void) {
    int a = 0, b = 0, c = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task shared(a)
        a = 1;
#pragma omp task shared(c) if (0)
        c = 3;
        assert(c == 3);
#pragma omp taskwait
        assert(a == 1);
#pragma omp taskgroup
        {
#pragma omp task shared(a, b)
            b = a + 1;
        }
        assert(b == 2);
    }
    return 0;
}
