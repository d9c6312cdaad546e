// RankChecker, figure 4: two preemptions at two different variables.
// RADDLE: -s dfs --points all --keep-going
// EXPECT: assertion
// EXECUTIONS: 239
// MODE: hooks
// FLAGS: -O0
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define QUIET __attribute__((no_sanitize("thread"))) /* not part of the model: makes no operations */

static int a, b;

static void *reader(void *arg) {
    int t1 = a;
    int t2 = a;
    int t3 = b;
    assert(t1 == t2 || t3 != 1); /* BUG */
    return arg;
}

static void *pulse(void *arg) {
    a = 1;
    b = 1;
    b = 0;
    return arg;
}

QUIET int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, reader, NULL);
    pthread_create(&t[1], NULL, pulse, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
