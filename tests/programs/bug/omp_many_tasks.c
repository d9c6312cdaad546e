// OpenMP: more tasks wait at once than a choice has ways, and the program expects one of the first to be done before a
// later one.
// RADDLE: -s random -n 50
// EXPECT: assertion
// COMPILE: gcc clang
// FLAGS: -fopenmp
#include <assert.h>

enum { TASKS = 1100 };

int main(void) {
    int last = -1;
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < TASKS; i++) {
#pragma omp task firstprivate(i) shared(last)
        {
#pragma omp critical
            {
                assert(i != 0 || last < 5);
                last = i;
            }
        }
    }
    return 0;
}
