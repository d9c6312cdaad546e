// OpenMP: an iteration signals that it is done before it is.
// EXPECT: data-race
// RADDLE: -s dpor --detect races
// COMPILE: gcc clang
// MODE: hooks
// FLAGS: -fopenmp

int main(void) {
    int a[3] = {0};
#pragma omp parallel for ordered(1) num_threads(2) schedule(static, 1)
    for (int i = 1; i < 3; i++) {
#pragma omp ordered depend(sink : i - 1)
#pragma omp ordered depend(source)
        a[i] = a[i - 1] + 1; /* BUG */
    }
    return a[2] < 0;
}
