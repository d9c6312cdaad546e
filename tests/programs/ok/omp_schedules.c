// OpenMP: every schedule does each iteration once, also with steps that are negative or larger than one.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: none
// COMPILE: gcc clang
// FLAGS: -fopenmp
#include <assert.h>
#include <omp.h>
#include <string.h>

enum { N = 7 };

static int done[N];

static void check(int step) {
    for (int i = 0; i < N; i++)
        assert(done[i] == (i % step == 0));
    memset(done, 0, sizeof done);
}

int main(void) {
#pragma omp parallel for num_threads(3)
    for (int i = 0; i < N; i++)
        done[i]++;
    check(1);
#pragma omp parallel for num_threads(3) schedule(static, 2)
    for (unsigned i = 0; i < N; i++)
        done[i]++;
    check(1);
#pragma omp parallel for num_threads(3) schedule(dynamic)
    for (long i = N - 1; i >= 0; i--)
        done[i]++;
    check(1);
#pragma omp parallel for num_threads(2) schedule(guided)
    for (unsigned long long i = 0; i < N; i += 3)
        done[i]++;
    check(3);
    omp_set_schedule(omp_sched_dynamic, 2);
#pragma omp parallel num_threads(2)
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < N; i += 2)
        done[i]++;
    check(2);
#pragma omp parallel num_threads(3)
#pragma omp for schedule(dynamic, 3)
    for (unsigned long long i = N; i > 0; i--)
        done[i - 1]++;
    check(1);
    return 0;
}
