// The program takes EOWNERDEAD for a failure: main holds the mutex without knowing it.
// RADDLE: -s dfs
// EXPECT: deadlock
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock;

static void *dies(void *arg) {
    if (pthread_mutex_lock(&lock) == EOWNERDEAD)
        pthread_mutex_consistent(&lock);
    return arg;
}

static void *careful(void *arg) {
    if (pthread_mutex_lock(&lock) == EOWNERDEAD) /* BUG */
        pthread_mutex_consistent(&lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &attr);
    pthread_create(&t[0], NULL, dies, NULL);
    pthread_create(&t[1], NULL, careful, NULL);
    pthread_join(t[0], NULL);
    if (pthread_mutex_lock(&lock) == 0)
        pthread_mutex_unlock(&lock);
    pthread_join(t[1], NULL); /* BUG */
    return 0;
}
