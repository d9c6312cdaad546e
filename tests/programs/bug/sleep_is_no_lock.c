// "After a second it will surely be done." (The sleep does not order the threads.)
// RADDLE: -s dfs
// EXPECT: assertion
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    sleep(1);
    pthread_mutex_lock(&lock);
    assert(done); /* BUG */
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
