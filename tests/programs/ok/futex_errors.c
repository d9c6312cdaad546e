// Wrong calls return the errors that the kernel returns; most of them before there is a second thread.
// RADDLE: -s random --seed 1 -n 20
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int word, other;

static int error(void *at, int op, int value, const void *timeout, void *at2, unsigned value3) {
    errno = 0;
    return syscall(SYS_futex, at, op, value, timeout, at2, value3) == -1 ? errno : 0;
}

static void *all(void *arg) {
    struct timespec zero = {0, 0}, bad = {0, 1000000000}, negative = {-1, 0};
    void *crooked = (char *)&word + 1, *nowhere = (void *)16, *minus = (void *)(intptr_t)-1;
    assert(error(&word, FUTEX_WAIT, 1, NULL, NULL, 0) == EAGAIN);
    assert(error(&word, FUTEX_WAIT, 0, &zero, NULL, 0) == ETIMEDOUT);
    assert(error(&word, FUTEX_WAIT, 1, &bad, NULL, 0) == EINVAL);
    assert(error(&word, FUTEX_WAIT_BITSET, 0, &negative, NULL, 1) == EINVAL);
    assert(error(&word, FUTEX_WAIT_BITSET, 0, NULL, NULL, 0) == EINVAL);
    assert(error(&word, FUTEX_WAKE_BITSET, 1, NULL, NULL, 0) == EINVAL);
    assert(error(crooked, FUTEX_WAIT, 0, NULL, NULL, 0) == EINVAL);
    assert(error(crooked, FUTEX_WAKE, 1, NULL, NULL, 0) == EINVAL);
    assert(error(nowhere, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) == EFAULT);
    assert(error(nowhere, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) == 0);
    assert(error(nowhere, FUTEX_WAKE, 1, NULL, NULL, 0) == EFAULT);
    assert(error(&word, 99, 0, NULL, NULL, 0) == ENOSYS);
    assert(error(&word, FUTEX_WAKE | FUTEX_CLOCK_REALTIME, 1, NULL, NULL, 0) == ENOSYS);
    assert(error(&word, FUTEX_REQUEUE, -1, NULL, &other, 0) == EINVAL);
    assert(error(&word, FUTEX_REQUEUE, 0, minus, &other, 0) == EINVAL);
    assert(error(&word, FUTEX_CMP_REQUEUE, 1, NULL, &other, 5) == EAGAIN);
    assert(error(&word, FUTEX_CMP_REQUEUE, 1, NULL, &other, 0) == 0);
    assert(error(&word, FUTEX_WAKE_OP, 1, NULL, &other, 6u << 24) == ENOSYS);
    assert(error(&word, FUTEX_WAKE_OP, 1, NULL, &other, 5u << 28) == ENOSYS);
    assert(error(&word, FUTEX_WAKE_OP, 1, NULL, nowhere, 0) == EFAULT);
    return arg;
}

int main(void) {
    pthread_t t;
    all(NULL);
    pthread_create(&t, NULL, all, NULL);
    pthread_join(t, NULL);
    return 0;
}
