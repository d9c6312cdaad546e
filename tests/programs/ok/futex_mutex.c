// A lock of one word: free, taken, or taken and another thread waits.
// RADDLE: -s random --seed 1 -n 300
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word;
static int count, inside;

static void lock(void) {
    int seen = 0;
    if (atomic_compare_exchange_strong(&word, &seen, 1))
        return;
#ifdef BROKEN
    while (seen) {
        atomic_compare_exchange_strong(&word, &seen, 2);
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0); /* BUG */
        seen = 0;
        if (atomic_compare_exchange_strong(&word, &seen, 1))
            return;
    }
#else
    if (seen != 2)
        seen = atomic_exchange(&word, 2);
    while (seen) {
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
        seen = atomic_exchange(&word, 2);
    }
#endif
}

static void unlock(void) {
    if (atomic_exchange(&word, 0) == 2)
        syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *worker(void *arg) {
    for (int i = 0; i < 2; i++) {
        lock();
        assert(++inside == 1);
        count++;
        sched_yield();
        inside--;
        unlock();
    }
    return arg;
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(count == 6 && word == 0);
    return 0;
}
