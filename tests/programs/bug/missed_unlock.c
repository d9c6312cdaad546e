// The error path returns with the lock held; it is taken only when the other thread closed first.
// RADDLE: -s dfs
// EXPECT: misuse deadlock
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool closed;
static int written;

static int append(int n) {
    pthread_mutex_lock(&lock); /* BUG */
    if (closed)
        return -1;
    written += n;
    pthread_mutex_unlock(&lock);
    return 0;
}

static void *writer(void *arg) {
    append(1);
    return arg;
}

static void *closer(void *arg) {
    pthread_mutex_lock(&lock);
    closed = true;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, writer, NULL);
    pthread_create(&t[1], NULL, closer, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    pthread_mutex_lock(&lock); /* BUG */
    int total = written;
    pthread_mutex_unlock(&lock);
    return total > 1;
}
