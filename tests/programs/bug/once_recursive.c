// The initialisation calls a function that asks for the initialisation.
// RADDLE: -s dfs
// EXPECT: deadlock
#include <pthread.h>
#include <stddef.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int table;
static void prepare(void);

static int lookup(void) {
    pthread_once(&once, prepare); /* BUG */
    return table;
}

static void prepare(void) { table = lookup() + 1; }

static void *worker(void *arg) {
    lookup();
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    return 0;
}
