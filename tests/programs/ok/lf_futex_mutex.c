// A mutex of one word: free, taken, or taken with possible waiters. A thread that has slept takes it in the last way.
// RADDLE: -s bpor:c=2 --require-complete
// EXPECT: none
// MODE: hooks
#define _GNU_SOURCE
#include "lf.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word;
static int count;

static void lock(void) {
    int seen = 0;
    if (atomic_compare_exchange_strong_explicit(&word, &seen, 1, memory_order_acquire, memory_order_relaxed))
        return;
    while (atomic_exchange_explicit(&word, 2, memory_order_acquire)) {
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0); /* BUG */
        seen = 0;
        if (EITHER(0, 1) && atomic_compare_exchange_strong(&word, &seen, 1))
            return;
    }
}

static void unlock(void) {
    if (atomic_exchange_explicit(&word, 0, memory_order_release) == 2)
        syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void work(int me) {
    (void)me;
    lock();
    count++;
    unlock();
}

int main(void) {
    run(3, work);
    assert(count == 3 && word == 0);
    return 0;
}
