// The handler is called after it was removed: a jump to address zero.
// RADDLE: -s dfs
// EXPECT: crash
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int calls;

static void count(void) { calls++; }
static void (*volatile handler)(void) = count;

static void *caller(void *arg) {
    pthread_mutex_lock(&lock);
    handler(); /* BUG */
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *remover(void *arg) {
    pthread_mutex_lock(&lock);
    handler = NULL;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, caller, NULL);
    pthread_create(&t[1], NULL, remover, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
