// A timed wait times out while the other thread holds the mutex and is about to signal: it returns ETIMEDOUT although
// the condition holds.
// EXPECT: assertion
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;

static void *produce(void *arg) {
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t t;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    pthread_mutex_lock(&mutex);
    pthread_create(&t, NULL, produce, NULL);
    int error = pthread_cond_timedwait(&cond, &mutex, &until);
    assert(error != ETIMEDOUT || !ready); /* BUG */
    pthread_mutex_unlock(&mutex);
    pthread_join(t, NULL);
    return 0;
}
