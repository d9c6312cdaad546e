// Detached threads, in both ways; main waits for them with a condition variable.
// RADDLE: -s dfs -n 1000
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t one_less = PTHREAD_COND_INITIALIZER;
static int running = 2;

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    running--;
    pthread_cond_signal(&one_less);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_attr_t attr;
    int state = -1;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_getdetachstate(&attr, &state);
    assert(state == PTHREAD_CREATE_DETACHED);
    assert(pthread_create(&t, &attr, worker, NULL) == 0);
    assert(pthread_create(&t, NULL, worker, NULL) == 0);
    assert(pthread_detach(t) == 0);
    pthread_attr_destroy(&attr);
    pthread_mutex_lock(&lock);
    while (running > 0)
        pthread_cond_wait(&one_less, &lock);
    pthread_mutex_unlock(&lock);
    return 0;
}
