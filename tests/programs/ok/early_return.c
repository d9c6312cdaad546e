// main returns while a detached thread is at any point: the process ends, and that is no bug.
// RADDLE: -s dfs --require-complete
// EXPECT: none
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int steps;

static void *worker(void *arg) {
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        atomic_fetch_add(&steps, 1);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_detach(t);
    pthread_mutex_lock(&lock);
    int done = atomic_load(&steps);
    pthread_mutex_unlock(&lock);
    return done < 0 || done > 3;
}
