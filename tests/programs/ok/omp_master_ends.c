// OpenMP: the thread that was the master of a region ends, and so does main; with gcc's runtime their workers end, too.
// RADDLE: -s dpor
// EXPECT: none
// COMPILE: gcc
// FLAGS: -fopenmp
// OUTPUT: every schedule of this test on this input is equivalent to one that was run
#include <pthread.h>

static int sum;

static void add(void) {
#pragma omp parallel num_threads(2)
    {
#pragma omp critical
        sum++;
    }
}

static void *other(void *arg) {
    add();
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    pthread_join(t, NULL);
    add();
    pthread_exit(NULL);
}
