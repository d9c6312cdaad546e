// A wait without a condition to check: a signal that came before it is lost.
// RADDLE: -s dfs
// EXPECT: deadlock
// TIMES: 20
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;

static void *waiter(void *arg) {
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&done, &lock); /* BUG */
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    pthread_cond_signal(&done);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, waiter, NULL);
    pthread_create(&t[1], NULL, worker, NULL);
    pthread_join(t[1], NULL);
    pthread_join(t[0], NULL);
    return 0;
}
