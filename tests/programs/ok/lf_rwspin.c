// A spin lock for readers and writers in one word: the number of readers, or -1.
// RADDLE: -s bpor:c=2 --require-complete
// EXPECT: none
// MODE: hooks
// FLAGS: -O2
#include "lf.h"

static atomic_int word;
static int x, y;

static void read_lock(void) {
    int w = atomic_load_explicit(&word, memory_order_relaxed);
    do {
        while (EITHER(w < 0, w < -1))
            w = atomic_load_explicit(&word, memory_order_relaxed);
    } while (!atomic_compare_exchange_weak_explicit(&word, &w, w + 1, memory_order_acquire, memory_order_relaxed));
}

static void write_lock(void) {
    int w = 0;
    while (!atomic_compare_exchange_weak_explicit(&word, &w, -1, memory_order_acquire, memory_order_relaxed))
        w = 0;
}

static void work(int me) {
    if (me == 0) {
        write_lock();
        x++; /* BUG */
        y++; /* BUG */
        atomic_store_explicit(&word, 0, memory_order_release);
    } else {
        read_lock();
        int a = x, b = y; /* BUG */
        assert(EITHER(a == b, a + b >= 0));
        atomic_fetch_sub_explicit(&word, 1, memory_order_release);
    }
}

int main(void) {
    run(3, work);
    return 0;
}
