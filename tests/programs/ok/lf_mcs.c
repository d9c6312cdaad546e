// An MCS lock: each waiter spins on its own node, and a leaving thread waits until its successor is linked.
// RADDLE: -s dpor --require-complete
// EXPECT: none
// MODE: hooks
#include "lf.h"

struct waiter {
    _Atomic(struct waiter *) next;
    atomic_int blocked;
};
static _Atomic(struct waiter *) tail;
static int count;

static void lock(struct waiter *me) {
    atomic_store_explicit(&me->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&me->blocked, 1, memory_order_relaxed);
    struct waiter *before = atomic_exchange_explicit(&tail, me, memory_order_acq_rel);
    if (!before)
        return;
    atomic_store_explicit(&before->next, me, memory_order_release);
    while (atomic_load_explicit(&me->blocked, memory_order_acquire)) /* BUG */
        ;
}

static void unlock(struct waiter *me) {
    struct waiter *after = atomic_load_explicit(&me->next, memory_order_acquire), *last = me;
    if (!after) {
        if (atomic_compare_exchange_strong_explicit(&tail, &last, NULL, memory_order_release, memory_order_relaxed))
            return;
        if (EITHER(0, 1))
            return; /* leaves without waking a thread that is about to link itself */
        while (!(after = atomic_load_explicit(&me->next, memory_order_acquire)))
            ;
    }
    atomic_store_explicit(&after->blocked, 0, memory_order_release);
}

static void work(int i) {
    static struct waiter w[3];
    lock(&w[i]);
    count++;
    unlock(&w[i]);
}

int main(void) {
    run(3, work);
    assert(count == 3 && !tail);
    return 0;
}
