// Waiting with a deadline, in a loop around the condition: the mutex is held afterwards in any case.
// RADDLE: -s random --seed 1 -n 300
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, inside;

static void *waiter(void *arg) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    pthread_mutex_lock(&lock);
    int result = 0;
    while (!ready && result == 0) {
        result = pthread_cond_timedwait(&changed, &lock, &until);
        assert(inside++ == 0);
        inside--;
        assert(result == 0 || result == ETIMEDOUT);
    }
    assert(ready || result == ETIMEDOUT);
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *setter(void *arg) {
    pthread_mutex_lock(&lock);
    assert(inside++ == 0);
    ready = 1;
    pthread_cond_broadcast(&changed);
    inside--;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, i < 2 ? waiter : setter, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
