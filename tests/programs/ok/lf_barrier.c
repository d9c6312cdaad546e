// A sense-reversing barrier, which can be used again at once.
// RADDLE: -s dpor --require-complete
// EXPECT: none
// MODE: hooks
#include "lf.h"

enum { THREADS = 2, ROUNDS = 1 };
static atomic_int arrived, sense;
static int cell[THREADS];

static void meet(int *mine) {
    *mine = !*mine;
    if (atomic_fetch_add_explicit(&arrived, 1, ORDER(acq_rel, relaxed)) == THREADS - 1) {
        atomic_store_explicit(&arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&sense, *mine, memory_order_release);
    } else {
        while (atomic_load_explicit(&sense, memory_order_acquire) != *mine)
            ;
    }
}

static void work(int me) {
    int mine = 0;
    for (int i = 1; i <= ROUNDS; i++) {
        cell[me] = i; /* BUG */
        meet(&mine);
        int other = cell[!me]; /* BUG */
        assert(other == i);
        meet(&mine);
    }
}

int main(void) {
    run(THREADS, work);
    return 0;
}
