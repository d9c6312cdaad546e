// main ends with pthread_exit; the others continue, and the process ends with status 0 after the last one.
// RADDLE: -s dfs -n 1000
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int finished;
static pthread_t main_thread;

static void *worker(void *arg) {
    if (arg)
        assert(pthread_join(main_thread, NULL) == 0);
    pthread_mutex_lock(&lock);
    finished++;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void check(void) {
    if (finished != 2)
        _exit(3);
}

int main(void) {
    pthread_t t;
    atexit(check);
    main_thread = pthread_self();
    pthread_create(&t, NULL, worker, NULL);
    pthread_detach(t);
    pthread_create(&t, NULL, worker, &main_thread);
    pthread_detach(t);
    pthread_exit(NULL);
}
