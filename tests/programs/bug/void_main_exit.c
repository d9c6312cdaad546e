// main() returns no value, but another thread calls exit() with a failure: that status counts.
// RADDLE: -s dfs
// EXPECT: exit-status
// OUTPUT: 3
// FLAGS: -Wno-main -Wno-main-return-type -Wno-return-type
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int configured;

static void *serve(void *arg) {
    pthread_mutex_lock(&lock);
    int ready = configured;
    pthread_mutex_unlock(&lock);
    if (!ready)
        exit(3);
    return arg;
}

void main(void) {
    pthread_t t;
    pthread_create(&t, NULL, serve, NULL);
    pthread_mutex_lock(&lock);
    configured = 1;
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    printf("a status that nobody meant\n");
}
