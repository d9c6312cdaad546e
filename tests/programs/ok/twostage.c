// Two data items with a lock each; the reader can see the first without the second (SCTBench, twostage). The
// assertion is only in the broken build in bug/: without it every execution runs to its end.
// RADDLE: -s dfs --keep-going
// EXPECT: none
// EXECUTIONS: 1964
// EXECUTIONS-PLAIN: 331
// ORDERS: 3
// MODE: plain hooks
// FLAGS: -O0
#include <pthread.h>
#include <stddef.h>

#include "pair.h"

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
    BROKEN_ASSERT(t2 == 2); /* BUG */
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
