// _exit ends the whole process at once, from any thread.
// RADDLE: -s dfs --require-complete
// EXPECT: none
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void wrong(void) { abort(); }

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    _exit(0);
    return arg;
}

int main(void) {
    pthread_t t[2];
    atexit(wrong);
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, worker, NULL);
    pthread_join(t[0], NULL);
    return 5; /* not reached */
}
