// Both threads find the buffer there, and both free it.
// RADDLE: -s dfs
// EXPECT: double-free
// TIMES: 20
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *buffer;

static void *drop(void *arg) {
    pthread_mutex_lock(&lock);
    char *mine = buffer;
    pthread_mutex_unlock(&lock);
    free(mine); /* BUG */
    pthread_mutex_lock(&lock);
    buffer = NULL;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[2];
    buffer = malloc(64);
    pthread_create(&t[0], NULL, drop, NULL);
    pthread_create(&t[1], NULL, drop, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
