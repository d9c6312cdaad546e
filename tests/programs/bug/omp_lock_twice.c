// OpenMP: a lock that does not nest is set twice, before there is a second thread.
// RADDLE: -s dpor
// EXPECT: deadlock
// COMPILE: gcc clang
// FLAGS: -fopenmp
// OUTPUT: T0 waits for itself
#include <omp.h>

int main(void) {
    omp_lock_t lock;
    omp_init_lock(&lock);
    omp_set_lock(&lock);
    omp_set_lock(&lock); /* BUG */
    return 0;
}
