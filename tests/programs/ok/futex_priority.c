// A futex with priority inheritance: its value names the owner by the kernel's thread number, which Raddle hides.
// RADDLE: -s random --seed 1 -n 20
// EXPECT: none
// STATUS: 2
// OUTPUT: priority inheritance
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static int word;

static void *worker(void *arg) {
    if (syscall(SYS_futex, &word, FUTEX_LOCK_PI, 0, NULL, NULL, 0) == 0)
        syscall(SYS_futex, &word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    return 0;
}
