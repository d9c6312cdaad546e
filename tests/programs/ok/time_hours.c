// A wait of an hour that no thread ends times out at once, and the clocks advance by an hour.
// RADDLE: -s dfs -n 300
// EXPECT: none
// ALONE: no
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, taken = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t none;

static struct timespec hour(void) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 3600;
    return until;
}

static void *worker(void *arg) {
    struct timespec until = hour();
    pthread_mutex_lock(&lock);
    assert(pthread_cond_timedwait(&never, &lock, &until) == ETIMEDOUT);
    pthread_mutex_unlock(&lock);
    until = hour();
    assert(sem_timedwait(&none, &until) == -1 && errno == ETIMEDOUT);
    until = hour();
    assert(pthread_mutex_timedlock(&taken, &until) == ETIMEDOUT);
    assert(poll(NULL, 0, 3600 * 1000) == 0);
    return arg;
}

int main(void) {
    pthread_t t;
    time_t begin = time(NULL);
    sem_init(&none, 0, 0);
    pthread_mutex_lock(&taken);
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    pthread_mutex_unlock(&taken);
    assert(time(NULL) - begin >= 4 * 3600 - 1);
    return 0;
}
