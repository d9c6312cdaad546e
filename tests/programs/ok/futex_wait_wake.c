// A gate: early threads wait, the opening thread wakes all of them, late threads pass.
// RADDLE: -s random --seed 1 -n 500
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int open_now;
static int prepared;

static void *guest(void *arg) {
    while (!atomic_load(&open_now)) {
        long r = syscall(SYS_futex, &open_now, FUTEX_WAIT, 0, NULL, NULL, 0);
        assert(r == 0 || (r == -1 && errno == EAGAIN && open_now == 1));
    }
    assert(prepared == 1);
    return arg;
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, guest, NULL);
    prepared = 1;
    atomic_store(&open_now, 1);
    long woken = syscall(SYS_futex, &open_now, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    assert(woken >= 0 && woken <= 3);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(syscall(SYS_futex, &open_now, FUTEX_WAKE, 1, NULL, NULL, 0) == 0);
    return 0;
}
