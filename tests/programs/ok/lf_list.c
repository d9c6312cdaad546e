// Insertion into a sorted list without a lock, and a walk through it at the same time.
// RADDLE: -s dpor --require-complete
// EXPECT: none
// MODE: hooks
// FLAGS: -O2
#include "lf.h"

struct node {
    _Atomic(struct node *) next;
    int key;
};
static struct node nodes[2];
static _Atomic(struct node *) head;

static void insert(struct node *n, int key) {
    n->key = key; /* BUG */
    for (;;) {
        _Atomic(struct node *) *link = &head;
        struct node *after = atomic_load_explicit(link, memory_order_acquire);
        while (after && after->key < key) { /* BUG */
            link = &after->next;
            after = atomic_load_explicit(link, memory_order_acquire);
        }
        atomic_store_explicit(&n->next, after, memory_order_relaxed);
        if (atomic_compare_exchange_strong_explicit(link, &after, n, ORDER(release, relaxed), memory_order_relaxed))
            return;
    }
}

static int walk(void) {
    int last = 0, n = 0;
    for (struct node *p = atomic_load_explicit(&head, memory_order_acquire); p;
         p = atomic_load_explicit(&p->next, memory_order_acquire), n++) {
        int key = p->key; /* BUG */
        assert(key > last);
        last = key;
    }
    return n;
}

static void work(int me) {
    if (me < 2)
        insert(&nodes[me], me + 1);
    else
        walk();
}

int main(void) {
    run(3, work);
    assert(walk() == 2);
    return 0;
}
