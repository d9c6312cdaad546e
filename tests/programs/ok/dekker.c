// Dekker's algorithm for two threads.
// RADDLE: -s random --seed 1 -n 500
// EXPECT: none
// MODE: hooks
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

#include "pair.h"

static atomic_int wants[2], turn;
static int inside;

static void enter(int me) {
    int other = 1 - me;
    atomic_store(&wants[me], 1);
    while (atomic_load(&wants[other])) {
        if (atomic_load(&turn) == me) {
            sched_yield();
            continue;
        }
        atomic_store(&wants[me], 0);
#ifdef BROKEN
        if (atomic_load(&turn) != me)
            sched_yield();
#else
        while (atomic_load(&turn) != me)
            sched_yield();
        atomic_store(&wants[me], 1);
#endif
    }
}

static void *worker(void *arg) {
    int me = (int)(intptr_t)arg;
    for (int i = 0; i < EITHER(1, 2); i++) {
        enter(me);
        assert(++inside == 1); /* BUG */
        inside--;
        atomic_store(&turn, 1 - me);
        atomic_store(&wants[me], 0);
    }
    return NULL;
}

QUIET int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, worker, (void *)0);
    pthread_create(&t[1], NULL, worker, (void *)1);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return inside;
}
