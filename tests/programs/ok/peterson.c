// Peterson's algorithm for two threads.
// RADDLE: -s dfs -n 3000
// EXPECT: none
// MODE: hooks
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int wants[2], turn;
static int inside;

static void *worker(void *arg) {
    int me = (int)(intptr_t)arg, other = 1 - me;
#ifndef BROKEN
    atomic_store(&wants[me], 1);
    atomic_store(&turn, other);
#endif
    while (atomic_load(&wants[other]) && atomic_load(&turn) == other)
        sched_yield();
#ifdef BROKEN
    atomic_store(&wants[me], 1);
    atomic_store(&turn, other);
#endif
    assert(++inside == 1); /* BUG */
    inside--;
    atomic_store(&wants[me], 0);
    return NULL;
}

__attribute__((no_sanitize("thread"))) int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, worker, (void *)0);
    pthread_create(&t[1], NULL, worker, (void *)1);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return inside;
}
