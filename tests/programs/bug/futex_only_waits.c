// Only the waiter's system call reads the word, and the word was changed before the wait: no thread wakes the waiter.
// RADDLE: -s dpor -k
// MODE: hooks
// EXPECT: deadlock
// EXECUTIONS: 3
#include <linux/futex.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static int word, changed;

static void *waits(void *arg) {
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, waits, NULL);
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    word = 1;
    changed = word;
    pthread_join(t, NULL);
    return changed - 1;
}
