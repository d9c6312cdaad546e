// Two threads deep in their stacks, switching at the bottom and on the way.
// RADDLE: -s random --seed 6 -n 100
// EXPECT: none
// FLAGS: -fno-optimize-sibling-calls
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>

enum { DEPTH = 8000 };

__attribute__((noinline)) static long sum(int n, long id) {
    long here[8] = {id, n};
    if (n % 2000 == 0)
        sched_yield();
    long below = n == 0 ? 0 : sum(n - 1, id);
    if (n % 2000 == 0)
        sched_yield();
    assert(here[0] == id && here[1] == n);
    return below + here[0];
}

static void *worker(void *arg) {
    long id = (long)(intptr_t)arg;
    assert(sum(DEPTH, id) == (DEPTH + 1) * id);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, worker, (void *)3);
    pthread_create(&t[1], NULL, worker, (void *)5);
    worker((void *)7);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
