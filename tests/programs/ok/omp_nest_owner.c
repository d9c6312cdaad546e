// OpenMP: a lock that nests belongs to a task with gcc's runtime, implicit or not, and to a thread with clang's.
// RADDLE: -s dpor
// EXPECT: none
// COMPILE: gcc clang
// FLAGS: -fopenmp
#include <assert.h>
#include <omp.h>

#ifdef __clang__
enum { BY_THREAD = 1 };
#else
enum { BY_THREAD = 0 };
#endif

static omp_nest_lock_t lock;

/* Tests the lock as another task, while a task of this thread holds it `depth` times. */
static void ask(int depth) {
    int got = omp_test_nest_lock(&lock);
    assert(got == (BY_THREAD ? depth + 1 : 0));
    if (got)
        omp_unset_nest_lock(&lock);
}

int main(void) {
    int n = 0;
    omp_init_nest_lock(&lock);
    omp_set_nest_lock(&lock);
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0)
        ask(1); /* its implicit task is not main's */
#pragma omp parallel num_threads(1)
    ask(1);
#pragma omp task if (0)
    ask(1);
    assert(omp_test_nest_lock(&lock) == 2); /* the same task as before the regions */
    omp_unset_nest_lock(&lock);
    omp_unset_nest_lock(&lock);
#pragma omp parallel num_threads(2)
    {
        omp_set_nest_lock(&lock);
#pragma omp task if (0)
        {
            ask(1);
#pragma omp task if (0)
            ask(1);
        }
        omp_set_nest_lock(&lock);
#pragma omp task if (0)
        ask(2);
        omp_unset_nest_lock(&lock);
        n++;
        omp_unset_nest_lock(&lock);
#pragma omp task if (0)
        {
            omp_set_nest_lock(&lock); /* free, or held by the other thread */
            assert(omp_test_nest_lock(&lock) == 2);
            omp_unset_nest_lock(&lock);
            omp_unset_nest_lock(&lock);
        }
    }
    assert(n == 2);
    omp_destroy_nest_lock(&lock);
    return 0;
}
