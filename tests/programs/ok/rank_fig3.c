// RankChecker, figure 3: a value that is there for a moment only. Two preemptions. The check is left out,
// so that every execution goes to its end.
// RADDLE: --detect none -s dfs --points all --keep-going
// EXPECT: none
// EXECUTIONS: 69
// ORDERS: 6
// MODE: hooks
// FLAGS: -O0
#include <pthread.h>
#include <stddef.h>

#define QUIET __attribute__((no_sanitize("thread"))) /* not part of the model: makes no operations */

static int a;

static void *reader(void *arg) {
    int t1 = a;
    int t2 = a;
    (void)t1;
    (void)t2;
    return arg;
}

static void *pulse(void *arg) {
    a = 1;
    a = 0;
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
