// Read, copy, update: the old version is freed when every reader that may use it has left.
// RADDLE: -s dpor --require-complete
// EXPECT: none
// MODE: hooks
#include "lf.h"

struct config {
    int value;
};
enum { READERS = 2 };
static _Atomic(struct config *) current;
static atomic_uint inside[READERS]; /* odd: reading */

static void read_it(int me) {
    atomic_fetch_add(&inside[me], 1);
    struct config *c = atomic_load_explicit(&current, memory_order_seq_cst);
    int value = c->value; /* BUG */
    assert(value > 0);
    atomic_fetch_add_explicit(&inside[me], 1, memory_order_release);
}

static void replace(int value) {
    struct config *c = malloc(sizeof *c), *old = atomic_load_explicit(&current, memory_order_relaxed);
    c->value = value;
    atomic_store(&current, c);
    for (int i = 0; i < EITHER(READERS, 1); i++) { /* the grace period */
        unsigned was = atomic_load(&inside[i]);
        while (was % 2 && atomic_load(&inside[i]) == was)
            ;
    }
    free(old);
}

static void work(int me) {
    if (me < READERS)
        read_it(me);
    else
        replace(2);
}

int main(void) {
    struct config *first = malloc(sizeof *first);
    first->value = 1;
    current = first;
    run(READERS + 1, work);
    assert(current->value == 2);
    free(current);
    return 0;
}
