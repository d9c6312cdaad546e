// One thread counts under the lock, the other without it. The sum is right in most executions.
// RADDLE: --detect races -s dfs -n 1
// EXPECT: data-race
// MODE: hooks
// OUTPUT: without a lock
// OUTPUT: holding lock
// TIMES: 20
#include <pthread.h>
#include <stddef.h>

static int counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *careful(void *arg) {
    pthread_mutex_lock(&lock);
    counter++; /* BUG */
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *careless(void *arg) {
    counter++; /* BUG */
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, careful, NULL);
    pthread_create(&b, NULL, careless, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
