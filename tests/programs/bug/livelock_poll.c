// A thread polls a flag under its lock; the thread that should set the flag may have ended before it is asked.
// RADDLE: -s auto
// EXPECT: livelock
// MODE: hooks
// OUTPUT: for done to change, in a loop
// OUTPUT: goes round in a loop, and nobody is left who could end it
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool asked, done;

static void *server(void *arg) {
    pthread_mutex_lock(&lock);
    if (asked)
        done = true;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *client(void *arg) {
    bool d;
    pthread_mutex_lock(&lock);
    asked = true;
    pthread_mutex_unlock(&lock);
    do {
        pthread_mutex_lock(&lock); /* BUG */
        d = done;                  /* BUG */
        pthread_mutex_unlock(&lock);
    } while (!d);
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
