// exit in a thread, with main waiting for it: the handlers run, newest first, and the status is the thread's.
// RADDLE: -s dfs -n 500
// EXPECT: none
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

static int order;

static void last(void) {
    if (order != 2)
        _exit(8);
}
static void then(void) {
    if (order++ != 1)
        _exit(7);
}
static void first(void) {
    if (order++ != 0)
        _exit(6);
}

static void *worker(void *arg) {
    if (!arg)
        exit(EXIT_SUCCESS);
    return arg;
}

int main(void) {
    pthread_t t;
    atexit(last);
    atexit(then);
    atexit(first);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    return 5; /* not reached */
}
