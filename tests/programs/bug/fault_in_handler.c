// The handler that is to report a crash crashes itself.
// RADDLE: -s dfs
// EXPECT: crash
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *volatile where, *volatile last;

static void report(int number) {
    fprintf(stderr, "signal %d\n", number);
    *last = 1; /* BUG */
}

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    *where = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    signal(SIGSEGV, report);
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
