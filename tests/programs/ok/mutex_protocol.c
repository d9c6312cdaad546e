// Priority protocols: attributes keep their values, and an inheriting mutex works as a mutex.
// RADDLE: -s dfs -n 1000
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static pthread_mutex_t lock;
static int inside, count;

static void *worker(void *arg) {
    assert(pthread_mutex_lock(&lock) == 0);
    assert(inside++ == 0);
    sched_yield();
    inside--;
    count++;
    assert(pthread_mutex_unlock(&lock) == 0);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_mutexattr_t attr;
    int protocol = -1;
    pthread_mutexattr_init(&attr);
    assert(pthread_mutexattr_getprotocol(&attr, &protocol) == 0 && protocol == PTHREAD_PRIO_NONE);
    assert(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT) == 0);
    assert(pthread_mutexattr_getprotocol(&attr, &protocol) == 0 && protocol == PTHREAD_PRIO_INHERIT);
    assert(pthread_mutex_init(&lock, &attr) == 0);
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, worker, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(count == 2);
    return pthread_mutex_destroy(&lock) || pthread_mutexattr_destroy(&attr);
}
