// The owner of a robust mutex ends; the next one is told, repairs it, and continues. Without the repair no thread can
// lock it.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock;
static int low, high, deaths;

static void *worker(void *arg) {
    int result = pthread_mutex_lock(&lock);
    if (result == EOWNERDEAD) {
        high = low;
        deaths++;
        assert(pthread_mutex_consistent(&lock) == 0);
    } else
        assert(result == 0);
    assert(low == high);
    low++;
    if (arg)
        return NULL; /* with the lock */
    high++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *neglect(void *arg) {
    assert(pthread_mutex_lock(&lock) == EOWNERDEAD);
    pthread_mutex_unlock(&lock); /* not repaired */
    assert(pthread_mutex_lock(&lock) == ENOTRECOVERABLE);
    return arg;
}

int main(void) {
    pthread_t t[3];
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    assert(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST) == 0);
    assert(pthread_mutex_init(&lock, &attr) == 0);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, i == 1 ? &lock : NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    worker(&lock);
    assert(deaths == 1 && low == 3 + 1);
    high = low;
    pthread_mutex_unlock(&lock);
    pthread_create(&t[0], NULL, worker, &lock);
    pthread_join(t[0], NULL);
    pthread_create(&t[0], NULL, neglect, NULL);
    pthread_join(t[0], NULL);
    return pthread_mutex_trylock(&lock) != ENOTRECOVERABLE;
}
