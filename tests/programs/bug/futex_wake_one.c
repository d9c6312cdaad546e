// Two threads wait for the gate to open, and only one of them is woken.
// RADDLE: -s random --seed 1 -n 5000
// EXPECT: deadlock
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int gate;

static void *guest(void *arg) {
    while (!atomic_load(&gate))
        syscall(SYS_futex, &gate, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, guest, NULL);
    sched_yield();
    atomic_store(&gate, 1);
    syscall(SYS_futex, &gate, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
