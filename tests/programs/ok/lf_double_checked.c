// Double-checked initialisation with atomics.
// RADDLE: -s dpor --require-complete
// EXPECT: none
// MODE: hooks
// FLAGS: -O2
#include "lf.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct thing {
    int value;
} only;
static _Atomic(struct thing *) made;

static struct thing *get(void) {
    struct thing *t = atomic_load_explicit(&made, ORDER(acquire, relaxed));
    if (!t) {
        pthread_mutex_lock(&m);
        t = atomic_load_explicit(&made, memory_order_relaxed);
        if (!t) {
            t = &only;
            t->value = 7; /* BUG */
            atomic_store_explicit(&made, t, memory_order_release);
        }
        pthread_mutex_unlock(&m);
    }
    return t;
}

static void work(int me) {
    (void)me;
    int value = get()->value; /* BUG */
    assert(value == 7);
}

int main(void) {
    run(3, work);
    return 0;
}
