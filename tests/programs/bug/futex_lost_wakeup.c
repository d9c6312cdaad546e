// The waiter checks the flag, then waits with whichever value the word has by then: a wake-up in between is lost.
// RADDLE: -s random --seed 1 -n 5000
// EXPECT: deadlock
// MODE: hooks
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int flag;

static void *waiter(void *arg) {
    if (!atomic_load(&flag))
        syscall(SYS_futex, &flag, FUTEX_WAIT_PRIVATE, atomic_load(&flag), NULL, NULL, 0); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, waiter, NULL);
    atomic_store(&flag, 1);
    syscall(SYS_futex, &flag, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    pthread_join(t, NULL);
    return 0;
}
