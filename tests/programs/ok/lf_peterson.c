// Peterson's mutual exclusion for two, sequentially consistent.
// RADDLE: -s dpor --require-complete
// EXPECT: none
// MODE: hooks
// FLAGS: -O0
#include "lf.h"

static atomic_int wants[2], turn;
static int count;

static void work(int me) {
    atomic_store(&wants[me], 1);
    atomic_store(&turn, !me);
    while (atomic_load(&wants[!me]) && atomic_load(&turn) != me)
        ;
    count++; /* BUG */
    atomic_store_explicit(&wants[me], 0, ORDER(seq_cst, relaxed));
}

int main(void) {
    run(2, work);
    assert(count == 2);
    return 0;
}
