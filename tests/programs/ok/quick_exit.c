// quick_exit runs its own handlers, not those of exit; _exit runs none.
// RADDLE: -s dfs -n 500
// EXPECT: none
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

static int handled;

static void wrong(void) { _exit(9); }
static void right(void) {
    if (++handled == 2)
        _exit(0); /* the second handler of two: success */
}

static void *worker(void *arg) {
    quick_exit(4);
    return arg;
}

int main(void) {
    pthread_t t;
    atexit(wrong);
    at_quick_exit(right);
    at_quick_exit(right);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    return 5; /* not reached */
}
