// A control that was completed before there were threads, and is reset by one of them: then it is an operation again.
// RADDLE: -s dpor
// EXPECT: none
// EXECUTIONS: 2
// MODE: plain
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_once_t control = PTHREAD_ONCE_INIT;
static int times;

static void count(void) { times++; }

static void *worker(void *arg) {
    pthread_once(&control, count);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_once(&control, count);
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_join(t[0], NULL);
    control = (pthread_once_t)PTHREAD_ONCE_INIT;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(times == 2);
    return 0;
}
