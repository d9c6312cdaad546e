// One thread prints with a mutex held; another takes the mutex while it holds the stream.
// RADDLE: -s dpor
// EXPECT: deadlock
// OUTPUT: deadlock
#include <pthread.h>
#include <stdio.h>

static FILE *out;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *speaker(void *arg) {
    flockfile(out);
    pthread_mutex_lock(&m);
    fputs("both\n", out);
    pthread_mutex_unlock(&m);
    funlockfile(out);
    return arg;
}

int main(void) {
    pthread_t t;
    out = fopen("/dev/null", "w");
    pthread_create(&t, NULL, speaker, NULL);
    pthread_mutex_lock(&m);
    fprintf(out, "%d\n", 1); /* BUG */
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
