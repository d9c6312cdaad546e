// main returns, and an exit handler destroys data that a detached thread still uses.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: crash
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *table;

static void release(void) {
    pthread_mutex_lock(&lock);
    free(table);
    table = NULL;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock); /* the rest of a long shutdown */
    pthread_mutex_unlock(&lock);
}

static void *worker(void *arg) {
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        table[i]++; /* BUG */
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    table = calloc(3, sizeof *table);
    atexit(release);
    pthread_create(&t, NULL, worker, NULL);
    pthread_detach(t);
    return 0;
}
