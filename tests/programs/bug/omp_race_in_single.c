// OpenMP: with nowait the other threads do not wait for the thread in `single`.
// EXPECT: data-race
// RADDLE: -s dpor --detect races
// COMPILE: gcc clang
// MODE: hooks
// FLAGS: -fopenmp

int main(void) {
    int value = 0, sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
#pragma omp single nowait
        value = 1;
        sum += value; /* BUG */
    }
    return sum < 0;
}
