// A CLH lock: each thread spins on the node of its predecessor, and takes that node over.
// RADDLE: -s dpor --require-complete
// EXPECT: none
// MODE: hooks
// FLAGS: -O0
#include "lf.h"

static struct place {
    atomic_int taken;
} places[4];
static _Atomic(struct place *) tail = &places[3];
static int count;

static void work(int i) {
    struct place *mine = &places[i];
    for (int k = 0; k < 1 + (i == 0); k++) {
        atomic_store_explicit(&mine->taken, 1, memory_order_relaxed);
        struct place *before = atomic_exchange_explicit(&tail, mine, memory_order_acq_rel);
        while (atomic_load_explicit(&before->taken, ORDER(acquire, relaxed)))
            ;
        count++; /* BUG */
        atomic_store_explicit(&mine->taken, 0, memory_order_release);
        mine = before;
    }
}

int main(void) {
    run(2, work);
    assert(count == 3);
    return 0;
}
