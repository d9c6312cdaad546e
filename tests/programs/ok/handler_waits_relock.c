// A timed wait on a condition has timed out, and a signal comes before the thread has its mutex back: the handler waits on
// another condition. The recursive mutex has its depth of 2 afterwards.
// RADDLE: -s dfs -n 3000 --detect none
// EXPECT: none
// MODE: plain
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

static pthread_mutex_t twice, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER, told = PTHREAD_COND_INITIALIZER;
static pthread_t waiter;
static int ready;

static void handler(int sig) {
    (void)sig;
    pthread_mutex_lock(&other);
    while (!ready)
        pthread_cond_wait(&told, &other);
    pthread_mutex_unlock(&other);
}

static void *wait_twice(void *arg) {
    struct timespec t;
    pthread_mutex_lock(&twice);
    pthread_mutex_lock(&twice);
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec = 0;
    t.tv_sec++;
    pthread_cond_timedwait(&never, &twice, &t);
    int first = pthread_mutex_unlock(&twice), second = pthread_mutex_unlock(&twice);
    assert(first == 0 && second == 0);
    assert(pthread_mutex_unlock(&twice) != 0);
    return arg;
}

static void *interrupt(void *arg) {
    pthread_mutex_lock(&twice);
    pthread_kill(waiter, SIGUSR1);
    pthread_mutex_unlock(&twice);
    pthread_mutex_lock(&other);
    ready = 1;
    pthread_cond_broadcast(&told);
    pthread_mutex_unlock(&other);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&twice, &a);
    signal(SIGUSR1, handler);
    pthread_create(&waiter, NULL, wait_twice, NULL);
    pthread_create(&t, NULL, interrupt, NULL);
    pthread_join(t, NULL);
    pthread_join(waiter, NULL);
    return 0;
}
