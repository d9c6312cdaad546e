// Three threads call pthread_once; the function runs once, and each call returns after it is done.
// RADDLE: -s random --seed 1 -n 300
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static pthread_once_t outer = PTHREAD_ONCE_INIT, inner = PTHREAD_ONCE_INIT;
static int runs, table;

static void prepare_inner(void) {
    runs++;
    sched_yield();
    table = 1;
}

static void prepare_outer(void) {
    pthread_once(&inner, prepare_inner);
    sched_yield();
    table++;
}

static void *worker(void *arg) {
    assert(pthread_once(&outer, prepare_outer) == 0);
    assert(runs == 1 && table == 2);
    assert(pthread_once(&inner, prepare_inner) == 0);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, worker, NULL);
    worker(NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return runs != 1;
}
