// One signal for two waiters: one of them stays.
// RADDLE: -s dfs
// EXPECT: deadlock
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static bool is_open;

static void *waiter(void *arg) {
    pthread_mutex_lock(&lock);
    while (!is_open)
        pthread_cond_wait(&opened, &lock); /* BUG */
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, waiter, NULL);
    pthread_create(&t[1], NULL, waiter, NULL);
    pthread_mutex_lock(&lock);
    is_open = true;
    pthread_cond_signal(&opened);
    pthread_mutex_unlock(&lock);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
