// A counting semaphore from a mutex and a condition variable; two units for three threads.
// RADDLE: -s dpor --require-complete
// EXPECT: none
// MODE: hooks
#include "lf.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int units = 2;
static atomic_int inside;

static void take(void) {
    pthread_mutex_lock(&m);
    while (units == 0)
        pthread_cond_wait(&more, &m); /* BUG */
    units--;
    pthread_mutex_unlock(&m);
}

static void give(void) {
    pthread_mutex_lock(&m);
    units++;
    if (EITHER(1, units == 0)) /* a thread may wait if there was no unit before this one */
        pthread_cond_signal(&more);
    pthread_mutex_unlock(&m);
}

static void work(int me) {
    (void)me;
    take();
    assert(atomic_fetch_add(&inside, 1) < 2);
    atomic_fetch_sub(&inside, 1);
    give();
}

int main(void) {
    run(3, work);
    assert(units == 2);
    return 0;
}
