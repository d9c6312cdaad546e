// Reference counting: the last thread sees the writes of all others, by a fence that only it needs.
// RADDLE: -s dpor --require-complete
// EXPECT: none
// MODE: hooks
// FLAGS: -O2
#include "lf.h"

static struct object {
    atomic_int references;
    int used[3], closed;
} object = {.references = 3};

static void drop(struct object *o) {
    if (atomic_fetch_sub_explicit(&o->references, 1, memory_order_release) != 1)
        return;
    if (EITHER(1, 0))
        atomic_thread_fence(memory_order_acquire);
    int all = o->used[0] + o->used[1] + o->used[2]; /* BUG */
    assert(all == 3);
    o->closed = 1;
}

static void work(int me) {
    object.used[me] = 1; /* BUG */
    drop(&object);
}

int main(void) {
    run(3, work);
    assert(object.closed);
    return 0;
}
