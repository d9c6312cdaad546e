// A bounded ring for several producers and consumers: the number in each slot tells whose turn it is.
// RADDLE: -s bpor:c=2 --require-complete
// EXPECT: none
// MODE: hooks
#include "lf.h"

enum { SIZE = 2 };
static struct {
    atomic_uint turn;
    int value;
} slot[SIZE] = {{0, 0}, {1, 0}};
static atomic_uint head, tail;
static atomic_int sum;

static void put(int value) {
    unsigned t = atomic_load_explicit(&tail, memory_order_relaxed);
    for (;;) {
        int ahead = (int)(atomic_load_explicit(&slot[t % SIZE].turn, memory_order_acquire) - t);
        if (ahead == 0 && atomic_compare_exchange_weak_explicit(&tail, &t, t + 1, memory_order_relaxed,
                                                                memory_order_relaxed))
            break;
        if (ahead != 0)
            t = atomic_load_explicit(&tail, memory_order_relaxed);
    }
    slot[t % SIZE].value = value; /* BUG */
    atomic_store_explicit(&slot[t % SIZE].turn, t + 1, ORDER(release, relaxed));
}

static int get(void) {
    unsigned h = atomic_load_explicit(&head, memory_order_relaxed);
    for (;;) {
        int ahead = (int)(atomic_load_explicit(&slot[h % SIZE].turn, memory_order_acquire) - (h + 1));
        if (ahead == 0 && atomic_compare_exchange_weak_explicit(&head, &h, h + 1, memory_order_relaxed,
                                                                memory_order_relaxed))
            break;
        if (ahead != 0)
            h = atomic_load_explicit(&head, memory_order_relaxed);
    }
    int value = slot[h % SIZE].value; /* BUG */
    atomic_store_explicit(&slot[h % SIZE].turn, h + SIZE, memory_order_release);
    return value;
}

static void work(int me) {
    put(me + 1);
    atomic_fetch_add_explicit(&sum, get(), memory_order_relaxed);
}

int main(void) {
    run(2, work);
    assert(sum == 3);
    return 0;
}
