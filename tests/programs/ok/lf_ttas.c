// Test and test-and-set, with a back-off that grows.
// RADDLE: -s dpor --require-complete
// EXPECT: none
// MODE: hooks
#include "lf.h"

#include <sched.h>

static atomic_int taken;
static int count;

static void lock(void) {
    for (int pause = 1;; pause *= 2) {
        while (atomic_load_explicit(&taken, memory_order_relaxed))
            ;
        if (!atomic_exchange_explicit(&taken, 1, ORDER(acquire, relaxed)))
            return;
        for (int i = 0; i < pause; i++)
            sched_yield();
    }
}

static void work(int me) {
    (void)me;
    lock();
    count++; /* BUG */
    atomic_store_explicit(&taken, 0, memory_order_release);
}

int main(void) {
    run(2, work);
    assert(count == 2);
    return 0;
}
