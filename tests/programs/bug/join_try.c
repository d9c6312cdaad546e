// The program ignores the result of pthread_tryjoin_np.
// RADDLE: -s dfs
// EXPECT: assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    sum = 42;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    sched_yield();
    pthread_tryjoin_np(t, NULL);
    assert(sum == 42); /* BUG */
    return 0;
}
