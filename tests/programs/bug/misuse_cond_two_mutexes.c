// Two threads wait on one condition variable, each with a mutex of its own.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: misuse
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready[2];

static void *waiter(void *arg) {
    int i = *(int *)arg;
    pthread_mutex_lock(&lock[i]);
    while (!ready[i])
        pthread_cond_wait(&changed, &lock[i]); /* BUG */
    pthread_mutex_unlock(&lock[i]);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    int id[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, waiter, &id[i]);
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock[i]);
        ready[i] = 1;
        pthread_mutex_unlock(&lock[i]);
        pthread_cond_broadcast(&changed);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
