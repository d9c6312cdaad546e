// The program takes the end of a wait of one second for the event, with any result of the call.
// RADDLE: -s random --seed 1 -n 5000
// EXPECT: assertion
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int done;

static void *worker(void *arg) {
    atomic_store(&done, 1);
    syscall(SYS_futex, &done, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    return arg;
}

int main(void) {
    pthread_t t;
    struct timespec second = {1, 0};
    pthread_create(&t, NULL, worker, NULL);
    syscall(SYS_futex, &done, FUTEX_WAIT_PRIVATE, 0, &second, NULL, 0);
    assert(done == 1); /* BUG */
    pthread_join(t, NULL);
    return 0;
}
