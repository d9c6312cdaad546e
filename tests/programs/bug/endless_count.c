// A counter that steps over its end. The finding must be the same wherever the watchdog stops the loop.
// RADDLE: -s dfs --max-seconds 0.5
// EXPECT: hang
// MODE: hooks
// TIMES: 1
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int limit = 11;

static void *setter(void *arg) {
    pthread_mutex_lock(&lock);
    limit = 10;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *counter(void *arg) {
    pthread_mutex_lock(&lock);
    unsigned end = (unsigned)limit;
    pthread_mutex_unlock(&lock);
    for (unsigned i = 0; i != end; i += 2) /* BUG */
        __asm__ volatile("" : "+r"(i)); /* BUG */
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
