// Dekker's mutual exclusion for two threads: the thread without the turn steps back.
// RADDLE: -s dpor --require-complete
// EXPECT: none
// MODE: hooks
// FLAGS: -O2
#include "lf.h"

static atomic_int wants[2], turn;
static int count;

static void work(int me) {
    atomic_store(&wants[me], 1);
    while (atomic_load(&wants[!me])) {
        if (atomic_load(&turn) == me)
            continue;
        atomic_store(&wants[me], 0);
        while (atomic_load(&turn) != me)
            ;
        atomic_store(&wants[me], 1);
    }
    count++; /* BUG */
    atomic_store(&turn, !me);
    atomic_store_explicit(&wants[me], 0, ORDER(seq_cst, relaxed));
}

int main(void) {
    run(2, work);
    assert(count == 2);
    return 0;
}
