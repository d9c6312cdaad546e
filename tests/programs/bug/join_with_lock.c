// main joins a thread while it holds the lock that the thread needs.
// RADDLE: -s dfs
// EXPECT: deadlock
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int jobs;

static void *worker(void *arg) {
    pthread_mutex_lock(&lock); /* BUG */
    jobs++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    if (jobs == 0)
        pthread_join(t, NULL); /* BUG */
    pthread_mutex_unlock(&lock);
    return 0;
}
