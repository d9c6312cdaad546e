// A thread polls a flag that no thread will set any more.
// RADDLE: -s dfs --max-steps 2000
// EXPECT: hang
// MODE: plain
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool waiting, served;

static void *server(void *arg) {
    pthread_mutex_lock(&lock);
    if (waiting)
        served = true;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *client(void *arg) {
    bool done = false;
    while (!done) {
        pthread_mutex_lock(&lock);   /* BUG */
        waiting = true;              /* BUG */
        done = served;               /* BUG */
        pthread_mutex_unlock(&lock); /* BUG */
    }
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, server, NULL);
    pthread_create(&t[1], NULL, client, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
