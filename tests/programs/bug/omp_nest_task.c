// OpenMP: a task that runs at once wants a lock that its parent task holds. With gcc's runtime the two tasks are
// different owners, though one thread runs both: it waits for ever. (clang's runtime lets it.)
// RADDLE: -s dpor
// EXPECT: deadlock
// COMPILE: gcc
// FLAGS: -fopenmp
// OUTPUT: T0 waits for itself
#include <omp.h>

int main(void) {
    omp_nest_lock_t lock;
    int n = 0;
    omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(1)
    {
        omp_set_nest_lock(&lock);
#pragma omp task if (0) shared(n)
        {
            omp_set_nest_lock(&lock); /* BUG */
            n++;
            omp_unset_nest_lock(&lock);
        }
        omp_unset_nest_lock(&lock);
    }
    return n != 1;
}
