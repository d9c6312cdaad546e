// A condition variable made of a word: its broadcast wakes one waiter and moves the others to the lock, where each wakes
// the next.
// RADDLE: -s random --seed 1 -n 500
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pair.h"

static atomic_int mutex, condition;
static int ready, passed;

/* `contended`: other threads may wait for the lock, so this one must wake one of them when it unlocks. */
static void lock(int contended) {
    int seen = 0;
    if (!contended && atomic_compare_exchange_strong(&mutex, &seen, 1))
        return;
    while (atomic_exchange(&mutex, 2))
        syscall(SYS_futex, &mutex, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0); /* BUG */
}

static void unlock(void) {
    if (atomic_exchange(&mutex, 0) == 2)
        syscall(SYS_futex, &mutex, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *waiter(void *arg) {
    lock(0);
    while (!ready) {
        int seen = atomic_load(&condition);
        unlock();
        syscall(SYS_futex, &condition, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0); /* BUG */
        lock(EITHER(1, 0));
    }
    passed++;
    unlock();
    return arg;
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, waiter, NULL);
    lock(0);
    ready = 1;
    int now = atomic_fetch_add(&condition, 1) + 1;
    assert(syscall(SYS_futex, &condition, FUTEX_CMP_REQUEUE_PRIVATE, 1, INT_MAX, &mutex, now - 1) == -1);
    long n = syscall(SYS_futex, &condition, FUTEX_CMP_REQUEUE_PRIVATE, 1, INT_MAX, &mutex, now);
    assert(n >= 0 && n <= 3);
    unlock();
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(passed == 3 && mutex == 0);
    return 0;
}
