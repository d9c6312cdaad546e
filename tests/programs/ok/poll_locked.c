// Two threads poll a flag under its lock, without a pause: they wait for it, and every search ends.
// RADDLE: -s dpor
// EXPECT: none
// MODE: hooks
// EXECUTIONS: 178
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool done;

static void *poller(void *arg) {
    bool d;
    do {
        pthread_mutex_lock(&lock);
        d = done;
        pthread_mutex_unlock(&lock);
    } while (!d);
    return arg;
}

static void *setter(void *arg) {
    pthread_mutex_lock(&lock);
    done = true;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], NULL, poller, NULL);
    pthread_create(&t[1], NULL, poller, NULL);
    pthread_create(&t[2], NULL, setter, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
