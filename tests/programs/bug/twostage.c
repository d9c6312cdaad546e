// Two data items with a lock each; the reader can see the first without the second (SCTBench, twostage).
// RADDLE: -s dfs --keep-going
// EXPECT: assertion
// EXECUTIONS: 1964
// EXECUTIONS-PLAIN: 331
// MODE: plain hooks
// FLAGS: -O0
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define QUIET __attribute__((no_sanitize("thread"))) /* not part of the model: makes no operations */

static pthread_mutex_t lock1 = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lock2 = PTHREAD_MUTEX_INITIALIZER;
static int data1, data2;

static void *writer(void *arg) {
    pthread_mutex_lock(&lock1);
    data1 = 1;
    pthread_mutex_unlock(&lock1);
    pthread_mutex_lock(&lock2);
    data2 = 2;
    pthread_mutex_unlock(&lock2);
    return arg;
}

static void *reader(void *arg) {
    pthread_mutex_lock(&lock1);
    int t1 = data1;
    pthread_mutex_unlock(&lock1);
    if (t1 == 0)
        return arg;
    pthread_mutex_lock(&lock2);
    int t2 = data2;
    pthread_mutex_unlock(&lock2);
    assert(t2 == 2); /* BUG */
    return arg;
}

QUIET int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, writer, NULL);
    pthread_create(&t[1], NULL, reader, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
