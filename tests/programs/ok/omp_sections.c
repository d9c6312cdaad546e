// OpenMP: sections, single with copyprivate, master; parallel sections.
// RADDLE: -s dpor
// EXPECT: none
// COMPILE: gcc clang
// FLAGS: -fopenmp
// OUTPUT: every schedule of this test on this input is equivalent to one that was run
#include <assert.h>

int main(void) {
    int a = 0, b = 0, c = 0;
#pragma omp parallel num_threads(2)
    {
        int given;
#pragma omp sections
        {
#pragma omp section
            a++;
#pragma omp section
            b++;
        }
        assert(a == 1 && b == 1);
#pragma omp single copyprivate(given)
        given = 5;
        assert(given == 5);
#pragma omp master
        c++;
    }
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        a++;
#pragma omp section
        b++;
    }
    assert(a == 2 && b == 2 && c == 1);
    return 0;
}
