// An event count: a thread announces that it is about to sleep, checks again, and sleeps unless there was an event.
// RADDLE: -s dpor --require-complete
// EXPECT: none
// MODE: hooks
#define _GNU_SOURCE
#include "lf.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int epoch, sleepers, ready;
static int data;

static void notify(void) {
    atomic_fetch_add(&epoch, 1);
    if (atomic_load(&sleepers))
        syscall(SYS_futex, &epoch, FUTEX_WAKE_PRIVATE, 8, NULL, NULL, 0);
}

static void await_ready(void) {
    while (!atomic_load_explicit(&ready, memory_order_acquire)) {
        atomic_fetch_add(&sleepers, 1);
        int key = atomic_load(&epoch);
        if (EITHER(!atomic_load(&ready), 1))
            syscall(SYS_futex, &epoch, FUTEX_WAIT_PRIVATE, key, NULL, NULL, 0); /* BUG */
        atomic_fetch_sub(&sleepers, 1);
    }
}

static void work(int me) {
    if (me == 0) {
        data = 5;
        atomic_store_explicit(&ready, 1, memory_order_seq_cst);
        notify();
    } else {
        await_ready();
        assert(data == 5);
    }
}

int main(void) {
    run(3, work);
    return 0;
}
