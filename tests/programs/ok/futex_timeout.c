// Waits with a time limit: relative and absolute, with both clocks, woken in time and timed out.
// RADDLE: -s random --seed 1 -n 500
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int word;

static void *waker(void *arg) {
    atomic_store(&word, 1);
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    return arg;
}

static struct timespec in_20_ms(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    t.tv_nsec += 20000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static int too_late(int op, const struct timespec *until) {
    static atomic_int never;
    return syscall(SYS_futex, &never, op, 0, until, NULL, FUTEX_BITSET_MATCH_ANY) == -1 && errno == ETIMEDOUT;
}

int main(void) {
    pthread_t t;
    struct timespec short_time = {0, 20000000}, before, after, until;
    pthread_create(&t, NULL, waker, NULL);
    clock_gettime(CLOCK_MONOTONIC, &before);
    long r = syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &short_time, NULL, 0);
    if (r == -1 && errno == ETIMEDOUT) {
        clock_gettime(CLOCK_MONOTONIC, &after);
        assert((after.tv_sec - before.tv_sec) * 1000000000L + after.tv_nsec - before.tv_nsec >= 20000000);
    } else {
        assert((r == 0 || errno == EAGAIN) && word == 1);
    }
    pthread_join(t, NULL);
    assert(too_late(FUTEX_WAIT, &short_time));
    until = in_20_ms(CLOCK_MONOTONIC);
    assert(too_late(FUTEX_WAIT_BITSET, &until));
    until = in_20_ms(CLOCK_REALTIME);
    assert(too_late(FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, &until));
    until.tv_sec -= 3600;
    assert(too_late(FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, &until));
    return 0;
}
