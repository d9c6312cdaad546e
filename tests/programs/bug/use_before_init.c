// The thread may run before its creator has finished preparing its data.
// RADDLE: -s dfs
// EXPECT: crash
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int messages;
static int *handle;

static void say(void) {
    pthread_mutex_lock(&log_lock);
    messages++;
    pthread_mutex_unlock(&log_lock);
}

static void *worker(void *arg) {
    *handle += 1; /* BUG */
    say();
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    say();
    handle = malloc(sizeof *handle);
    *handle = 1;
    pthread_join(t, NULL);
    free(handle);
    return 0;
}
