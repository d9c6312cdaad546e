// A thread that comes before its limit is set loops for ever, without any operation that could be a point.
// RADDLE: -s dfs --max-seconds 0.5
// EXPECT: hang
// TIMES: 1
// MODE: hooks
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int limit = -1;

static void *setter(void *arg) {
    pthread_mutex_lock(&lock);
    limit = 10;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *counter(void *arg) {
    pthread_mutex_lock(&lock);
    int end = limit;
    pthread_mutex_unlock(&lock);
    if (end < 0)
        for (;;) /* BUG */
            ;
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, setter, NULL);
    pthread_create(&t[1], NULL, counter, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
