// A ticket lock.
// RADDLE: -s dpor --require-complete
// EXPECT: none
// MODE: hooks
// FLAGS: -O2
#include "lf.h"

static atomic_uint next, served;
static int count;

static void work(int me) {
    (void)me;
    unsigned mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&served, memory_order_acquire) != mine)
        ;
    count++; /* BUG */
    atomic_store_explicit(&served, mine + 1, ORDER(release, relaxed));
}

int main(void) {
    run(3, work);
    assert(count == 3);
    return 0;
}
