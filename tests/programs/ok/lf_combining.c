// Flat combining: threads post requests, and the thread that has the lock performs all of them.
// RADDLE: -s dpor --require-complete
// EXPECT: none
// MODE: hooks
#include "lf.h"

enum { THREADS = 2, NOTHING, ASKED, DONE };
static struct {
    atomic_int state;
    int argument, result;
} request[THREADS] = {{NOTHING, 0, 0}, {NOTHING, 0, 0}};
static atomic_int taken;
static int total;

static void combine(void) {
    for (int i = 0; i < THREADS; i++)
        if (atomic_load_explicit(&request[i].state, memory_order_acquire) == ASKED) {
            total += request[i].argument;
            request[i].result = total; /* BUG */
            atomic_store_explicit(&request[i].state, DONE, ORDER(release, relaxed));
        }
}

static int add(int me, int n) {
    request[me].argument = n;
    atomic_store_explicit(&request[me].state, ASKED, memory_order_release);
    while (atomic_load_explicit(&request[me].state, memory_order_acquire) != DONE) {
        if (atomic_load_explicit(&taken, memory_order_relaxed) ||
            atomic_exchange_explicit(&taken, 1, memory_order_acquire))
            continue;
        combine();
        atomic_store_explicit(&taken, 0, memory_order_release);
    }
    return request[me].result; /* BUG */
}

static void work(int me) {
    int after = add(me, me + 1);
    assert(after >= me + 1 && after <= 3);
}

int main(void) {
    run(THREADS, work);
    assert(total == 3);
    return 0;
}
