// Dekker's algorithm without a second look: who gave way does not claim again.
// RADDLE: -s random --seed 1 -n 5000
// EXPECT: assertion
// MODE: hooks
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

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
        if (atomic_load(&turn) != me)
            sched_yield();
    }
}

static void *worker(void *arg) {
    int me = (int)(intptr_t)arg;
    for (int i = 0; i < 2; i++) {
        enter(me);
        assert(++inside == 1); /* BUG */
        inside--;
        atomic_store(&turn, 1 - me);
        atomic_store(&wants[me], 0);
    }
    return NULL;
}

__attribute__((no_sanitize("thread"))) int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, worker, (void *)0);
    pthread_create(&t[1], NULL, worker, (void *)1);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
