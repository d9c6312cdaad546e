// A sequence lock: readers read again if a writer came in between. It is correct only with the fences.
// RADDLE: -s dpor --require-complete
// EXPECT: none
// MODE: hooks
#include "lf.h"

static atomic_uint sequence;
static atomic_int x, y;

static void put(int value) {
    unsigned s = atomic_load_explicit(&sequence, memory_order_relaxed);
    atomic_store_explicit(&sequence, s + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&x, value, memory_order_relaxed);
    atomic_store_explicit(&y, value, memory_order_relaxed);
    atomic_store_explicit(&sequence, s + 2, memory_order_release);
}

static void get(int *a, int *b) {
    unsigned s, again;
    do {
        s = atomic_load_explicit(&sequence, memory_order_acquire);
        *a = atomic_load_explicit(&x, memory_order_relaxed);
        *b = atomic_load_explicit(&y, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        again = atomic_load_explicit(&sequence, memory_order_relaxed);
    } while (EITHER(s % 2 || s != again, s % 2));
}

static void work(int me) {
    if (me == 0) {
        put(1);
    } else {
        int a, b;
        get(&a, &b);
        assert(a == b); /* BUG */
    }
}

int main(void) {
    run(2, work);
    return 0;
}
