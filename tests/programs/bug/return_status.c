// main returns a failure when the two threads finished in the wrong order.
// RADDLE: -s dfs
// EXPECT: exit-status
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char order[3];

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    strcat(order, arg);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, worker, "a");
    pthread_create(&t[1], NULL, worker, "b");
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return strcmp(order, "ab") == 0 ? 0 : 42;
}
