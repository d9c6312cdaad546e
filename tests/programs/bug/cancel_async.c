// Asynchronous cancellation comes at any instruction: also between two lines that must run together.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: assertion
// TIMES: 20
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static volatile int low, high;

static void *worker(void *arg) {
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    low++;
    sched_yield();
    high++;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    sched_yield();
    pthread_cancel(t);
    pthread_join(t, NULL);
    assert(low == high); /* BUG */
    return 0;
}
