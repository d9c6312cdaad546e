// One call changes and wakes two words, as glibc's condition variables once did.
// RADDLE: -s random --seed 1 -n 500
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pair.h"

static atomic_int first, second = 2;

static void *at_first(void *arg) {
    while (!atomic_load(&first))
        syscall(SYS_futex, &first, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    return arg;
}

static void *at_second(void *arg) {
    while (atomic_load(&second) == 2)
        syscall(SYS_futex, &second, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, at_first, NULL);
    pthread_create(&t[1], NULL, at_second, NULL);
    atomic_store(&first, 1);
    int op = FUTEX_OP(FUTEX_OP_ADD, 5, EITHER(FUTEX_OP_CMP_EQ, FUTEX_OP_CMP_GT), 2);
    long n = syscall(SYS_futex, &first, FUTEX_WAKE_OP_PRIVATE, 1, 1, &second, op);
    assert(n >= 0 && n <= 2 && second == 7);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
