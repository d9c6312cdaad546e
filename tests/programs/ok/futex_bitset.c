// Two kinds of waiters at one word; a wake-up for one kind does not wake the other.
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

enum { READER = 1, WRITER = 2 };
static atomic_int word;

static void *waiter(void *arg) {
    unsigned kind = arg ? WRITER : READER;
    int value;
    while (!((value = atomic_load(&word)) & (int)kind))
        syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, value, NULL, NULL, kind);
    return NULL;
}

static long wake(unsigned kind) {
    atomic_fetch_or(&word, (int)kind);
    return syscall(SYS_futex, &word, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, NULL, NULL, kind);
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, waiter, i == 2 ? t : NULL);
    assert(wake(WRITER) <= 1);
    pthread_join(t[2], NULL);
    assert(wake(READER) <= 2);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
