// Treiber's stack with hazard pointers: a node that a thread reads is not freed.
// RADDLE: -s dpor --require-complete
// EXPECT: none
// MODE: hooks
#include "lf.h"

struct node {
    struct node *next;
    int value;
};
static _Atomic(struct node *) top, hazard[2];
static atomic_int sum;

static void push(int value) {
    struct node *n = malloc(sizeof *n);
    n->value = value;
    n->next = atomic_load(&top);
    while (!atomic_compare_exchange_weak(&top, &n->next, n))
        ;
}

static struct node *protect(int me) {
    struct node *n = atomic_load(&top);
    for (;;) {
        atomic_store(&hazard[me], n);
        struct node *again = atomic_load(&top);
        if (EITHER(again == n, 1))
            return n;
        n = again;
    }
}

static int pop(int me) {
    struct node *n;
    while ((n = protect(me)) && !atomic_compare_exchange_strong(&top, &n, n->next)) /* BUG */
        ;
    atomic_store(&hazard[me], NULL);
    if (!n)
        return 0;
    int value = n->value;
    /* otherwise the node stays; a longer-lived stack would try to free it later */
    if (atomic_load(&hazard[!me]) != n)
        free(n);
    return value;
}

static void work(int me) { atomic_fetch_add(&sum, pop(me)); }

int main(void) {
    push(1);
    push(2);
    run(2, work);
    assert(sum == 3 && !top);
    return 0;
}
