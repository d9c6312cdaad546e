// OpenMP: iterations that wait for earlier ones (doacross), in one and in two dimensions.
// RADDLE: -s dpor
// EXPECT: none
// COMPILE: gcc clang
// FLAGS: -fopenmp
// OUTPUT: every schedule of this test on this input is equivalent to one that was run
#include <assert.h>

int main(void) {
    int a[4] = {1}, b[3][3] = {{1, 1, 1}, {1}, {1}};
#pragma omp parallel for ordered(1) num_threads(2) schedule(static, 1)
    for (int i = 1; i < 4; i++) {
#pragma omp ordered depend(sink : i - 1)
        a[i] = a[i - 1] + 1;
#pragma omp ordered depend(source)
    }
    assert(a[3] == 4);
#pragma omp parallel for ordered(2) num_threads(2) schedule(static, 1)
    for (int i = 1; i < 3; i++)
        for (int k = 1; k < 3; k++) {
#pragma omp ordered depend(sink : i - 1, k) depend(sink : i, k - 1)
            b[i][k] = b[i - 1][k] + b[i][k - 1];
#pragma omp ordered depend(source)
        }
    assert(b[2][2] == 6);
    return 0;
}
