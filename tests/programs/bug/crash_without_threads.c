// A program that fails before it has a second thread: one execution shows it.
// RADDLE: -s dfs
// EXPECT: crash
// OUTPUT: SIGSEGV
#include <pthread.h>
#include <stddef.h>

static int *volatile nothing;

static void *worker(void *arg) { return arg; }

int main(void) {
    pthread_t t;
    int value = *nothing; /* BUG */
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    return value;
}
