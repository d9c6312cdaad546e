// The program ignores the result of trylock.
// RADDLE: -s dfs
// EXPECT: misuse
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int inside;

static void *worker(void *arg) {
    pthread_mutex_trylock(&lock);
    inside++;
    sched_yield();
    assert(inside >= 1);
    inside--;
    pthread_mutex_unlock(&lock); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, worker, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
