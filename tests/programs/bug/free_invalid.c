// The pointer that is freed has been advanced.
// RADDLE: -s dfs
// EXPECT: misuse
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *cursor;

static void *reader(void *arg) {
    pthread_mutex_lock(&lock);
    if (cursor)
        cursor++;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *owner(void *arg) {
    pthread_mutex_lock(&lock);
    free(cursor); /* BUG */
    cursor = NULL;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[2];
    cursor = malloc(100);
    pthread_create(&t[0], NULL, owner, NULL);
    pthread_create(&t[1], NULL, reader, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
