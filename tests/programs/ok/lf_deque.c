// The work-stealing deque of Chase and Lev: the thread that moves the top takes the last item.
// RADDLE: -s dpor --require-complete
// EXPECT: none
// MODE: hooks
#include "lf.h"

enum { SIZE = 4, EMPTY = -1 };
static atomic_int item[SIZE];
static atomic_long top, bottom;
static atomic_int taken[SIZE];

static void push(int x) {
    long b = atomic_load_explicit(&bottom, memory_order_relaxed);
    atomic_store_explicit(&item[b % SIZE], x, memory_order_relaxed);
    atomic_store_explicit(&bottom, b + 1, memory_order_release);
}

static int take(void) {
    long b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
    atomic_store_explicit(&bottom, b, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    long t = atomic_load_explicit(&top, memory_order_relaxed);
    int x = EMPTY;
    if (t <= b) {
        x = atomic_load_explicit(&item[b % SIZE], memory_order_relaxed);
        if (t < b || EITHER(0, 1))
            return x;
        if (!atomic_compare_exchange_strong(&top, &t, t + 1))
            x = EMPTY;
    }
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
    return x;
}

static int steal(void) {
    long t = atomic_load_explicit(&top, memory_order_acquire);
    atomic_thread_fence(memory_order_seq_cst);
    long b = atomic_load_explicit(&bottom, memory_order_acquire);
    if (t >= b)
        return EMPTY;
    int x = atomic_load_explicit(&item[t % SIZE], memory_order_relaxed);
    return atomic_compare_exchange_strong(&top, &t, t + 1) ? x : EMPTY;
}

static void use(int x) {
    if (x != EMPTY)
        assert(atomic_fetch_add(&taken[x], 1) == 0); /* BUG */
}

static void work(int me) {
    if (me == 0) {
        push(0);
        push(1);
        use(take());
        use(take());
    } else {
        use(steal());
    }
}

int main(void) {
    run(2, work);
    assert(taken[0] == 1 && taken[1] == 1);
    return 0;
}
