// A ring for one producer and one consumer.
// RADDLE: -s dpor --require-complete
// EXPECT: none
// MODE: hooks
// FLAGS: -O2
#include "lf.h"

enum { SIZE = 2, ITEMS = 4 };
static int ring[SIZE];
static atomic_uint head, tail; /* the consumer's, the producer's */

static void put(int value) {
    unsigned t = atomic_load_explicit(&tail, memory_order_relaxed);
    while (t - atomic_load_explicit(&head, memory_order_acquire) == SIZE)
        ;
    ring[t % SIZE] = value; /* BUG */
    atomic_store_explicit(&tail, t + 1, memory_order_release);
}

static int get(void) {
    unsigned h = atomic_load_explicit(&head, memory_order_relaxed);
    while (atomic_load_explicit(&tail, memory_order_acquire) == h)
        ;
    int value = ring[h % SIZE]; /* BUG */
    atomic_store_explicit(&head, h + 1, ORDER(release, relaxed));
    return value;
}

static void work(int me) {
    for (int i = 1; i <= ITEMS; i++)
        if (me)
            put(i);
        else
            assert(get() == i);
}

int main(void) {
    run(2, work);
    return 0;
}
