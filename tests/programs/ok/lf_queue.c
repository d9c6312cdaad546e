// The queue of Michael and Scott: a dummy node in front, and a tail that may lag behind.
// RADDLE: -s dpor --require-complete
// EXPECT: none
// MODE: hooks
// FLAGS: -O2
#include "lf.h"

struct node {
    _Atomic(struct node *) next;
    int value;
};
static struct node nodes[3];
static _Atomic(struct node *) head = &nodes[2], tail = &nodes[2];
static atomic_int sum;

static void enqueue(struct node *n, int value) {
    n->value = value; /* BUG */
    for (;;) {
        struct node *last = atomic_load_explicit(&tail, memory_order_acquire), *next = NULL;
        if (atomic_compare_exchange_strong_explicit(&last->next, &next, n, ORDER(acq_rel, acquire),
                                                    memory_order_acquire)) {
            atomic_compare_exchange_strong_explicit(&tail, &last, n, ORDER(release, relaxed), memory_order_relaxed);
            return;
        }
        atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_release, memory_order_relaxed);
    }
}

static int dequeue(void) {
    for (;;) {
        struct node *first = atomic_load_explicit(&head, memory_order_acquire);
        struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
        struct node *next = atomic_load_explicit(&first->next, memory_order_acquire);
        if (!next)
            return 0;
        if (first == last) {
            atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_release, memory_order_relaxed);
            continue;
        }
        int value = next->value; /* BUG */
        if (atomic_compare_exchange_strong_explicit(&head, &first, next, memory_order_acq_rel, memory_order_relaxed))
            return value;
    }
}

static void work(int me) {
    enqueue(&nodes[me], me + 1);
    atomic_fetch_add_explicit(&sum, dequeue(), memory_order_relaxed);
}

int main(void) {
    run(2, work);
    assert(sum == 3 && head == tail);
    return 0;
}
