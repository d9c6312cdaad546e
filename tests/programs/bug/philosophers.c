// Three philosophers, each takes the left fork first.
// RADDLE: -s random --seed 3 -n 20000
// EXPECT: deadlock
// TIMES: 20
// OUTPUT: deadlock
#include <pthread.h>
#include <stdint.h>

enum { N = 3 };
static pthread_mutex_t fork_[N];

static void *philosopher(void *arg) {
    intptr_t i = (intptr_t)arg;
    pthread_mutex_lock(&fork_[i]);
    pthread_mutex_lock(&fork_[(i + 1) % N]); /* BUG */
    pthread_mutex_unlock(&fork_[(i + 1) % N]);
    pthread_mutex_unlock(&fork_[i]);
    return NULL;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&fork_[i], NULL);
    for (intptr_t i = 0; i < N; i++)
        pthread_create(&t[i], NULL, philosopher, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < N; i++)
        pthread_mutex_destroy(&fork_[i]);
    return 0;
}
