// A long loop that makes progress: only a counter in memory changes. That is no hang.
// RADDLE: -s dfs -n 3 --max-steps 4000
// EXPECT: none
// STATUS: 2
// MODE: hooks
// ALONE: no
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int ready;
static volatile int count;

static void *work(void *arg) {
    while (count < 1000000000) {
        count = count + 1;
        ready = 1;
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
