// The wake-up is for writers only, but the waiter is a reader.
// RADDLE: -s random --seed 1 -n 5000
// EXPECT: deadlock
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { READER = 1, WRITER = 2 };
static atomic_int word;

static void *reader(void *arg) {
    while (!atomic_load(&word))
        syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, READER); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, reader, NULL);
    sched_yield();
    atomic_store(&word, 1);
    syscall(SYS_futex, &word, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, NULL, NULL, WRITER);
    pthread_join(t, NULL);
    return 0;
}
