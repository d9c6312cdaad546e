// A mutex is initialised again while it is held.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: misuse
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int users;

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    users++;
    sched_yield();
    users--;
    pthread_mutex_unlock(&lock); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    sched_yield();
    pthread_mutex_init(&lock, NULL); /* BUG */
    pthread_join(t, NULL);
    return 0;
}
