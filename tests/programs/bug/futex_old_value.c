// A semaphore whose waiter sleeps on a count that it has read before its attempt. When the count has that value again,
// the waiter sleeps for ever, because a post to a count above zero wakes no thread.
// RADDLE: -s dpor
// EXPECT: deadlock
// MODE: hooks
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int units = 2;

static void acquire(void) {
    for (;;) {
        int old = atomic_load(&units), now = old;
        while (now > 0)
            if (atomic_compare_exchange_strong(&units, &now, now - 1))
                return;
        syscall(SYS_futex, &units, FUTEX_WAIT_PRIVATE, old, NULL, NULL, 0); /* BUG */
    }
}

static void release(void) {
    if (atomic_fetch_add(&units, 1) == 0)
        syscall(SYS_futex, &units, FUTEX_WAKE_PRIVATE, 3, NULL, NULL, 0);
}

static void *guest(void *arg) {
    acquire();
    release();
    return arg;
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, guest, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
