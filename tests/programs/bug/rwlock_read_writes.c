// "Counting visitors is not really a write": an update under the read lock is lost.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static volatile int visitors;

static void *visitor(void *arg) {
    pthread_rwlock_rdlock(&lock);
    int n = visitors;
    sched_yield();
    visitors = n + 1;
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, visitor, NULL);
    pthread_create(&t[1], NULL, visitor, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(visitors == 2); /* BUG */
    return 0;
}
