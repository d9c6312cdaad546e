// A pthread_once that was completed before there were threads is completed in every schedule: calling it is no
// operation.
// RADDLE: -s dfs
// EXPECT: none
// EXECUTIONS: 5
// MODE: plain
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_once_t before = PTHREAD_ONCE_INIT;
static int times;

static void count(void) { times++; }

static void *worker(void *arg) {
    for (int i = 0; i < 20; i++)
        pthread_once(&before, count);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_once(&before, count);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(times == 1);
    return 0;
}
