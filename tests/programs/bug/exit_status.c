// A thread calls exit with a failure if the configuration is not there yet.
// RADDLE: -s dfs
// EXPECT: exit-status
// OUTPUT: 3
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int configured;

static void *configure(void *arg) {
    pthread_mutex_lock(&lock);
    configured = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *serve(void *arg) {
    pthread_mutex_lock(&lock);
    int ready = configured;
    pthread_mutex_unlock(&lock);
    if (!ready)
        exit(3);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, configure, NULL);
    pthread_create(&t[1], NULL, serve, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
