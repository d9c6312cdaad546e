// An exit handler finds what a thread has left behind.
// RADDLE: -s dfs
// EXPECT: assertion
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int open_files;

static void check(void) {
    pthread_mutex_lock(&lock);
    assert(open_files == 0); /* BUG */
    pthread_mutex_unlock(&lock);
}

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    open_files++;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    open_files--;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    atexit(check);
    pthread_create(&t, NULL, worker, NULL);
    pthread_detach(t);
    return 0;
}
