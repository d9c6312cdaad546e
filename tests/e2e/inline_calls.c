/*
 * A mutex of futexes, a sleep, a clock, a pipe and a yield, by system calls in inline assembly or (-DLIBC) by
 * syscall(): both are the same operations. With an argument the second wake-up is missing.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static unsigned word;
static int count, ends[2], forgets;

static long call(long number, long a, long b, long c, long d) {
#ifdef LIBC
    return syscall(number, a, b, c, d);
#else
    register long fourth __asm__("r10") = d;
    register long kept __asm__("r12") = 12345;
    register double number_kept __asm__("xmm9") = 0.25;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result), "+r"(kept), "+x"(number_kept)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
                     : "rcx", "r11", "memory");
    assert(kept == 12345 && number_kept == 0.25);
    return result;
#endif
}

static void lock(void) {
    unsigned free_word = 0;
    if (__atomic_compare_exchange_n(&word, &free_word, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return;
    while (__atomic_exchange_n(&word, 2, __ATOMIC_SEQ_CST))
        call(SYS_futex, (long)&word, FUTEX_WAIT_PRIVATE, 2, 0);
}

static void unlock(void) {
    if (__atomic_exchange_n(&word, 0, __ATOMIC_SEQ_CST) == 2 && !forgets)
        call(SYS_futex, (long)&word, FUTEX_WAKE_PRIVATE, 1, 0);
}

static void *work(void *arg) {
    struct timespec hour = {3600, 0};
    lock();
    count++;
    call(SYS_nanosleep, (long)&hour, 0, 0, 0); /* takes no real time */
    unlock();
    return arg;
}

static void *idle(void *arg) { return arg; }

static void *send_one(void *arg) {
    struct timespec now = {0, 0};
    assert(call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0) == 0 && now.tv_sec > 0);
    call(SYS_sched_yield, 0, 0, 0, 0);
    assert(call(SYS_write, ends[1], (long)"x", 1, 0) == 1);
    return arg;
}

int main(int argc, char **argv) {
    pthread_t t;
    char c = 0;
    (void)argv;
    forgets = argc > 1;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    assert(count == 2);
    pthread_create(&t, NULL, idle, NULL);
    assert(call(SYS_pipe2, (long)ends, 0, 0, 0) == 0);
    pthread_join(t, NULL);
    pthread_create(&t, NULL, send_one, NULL);
    assert(call(SYS_read, ends[0], (long)&c, 1, 0) == 1 && c == 'x'); /* waits for the byte */
    pthread_join(t, NULL);
    assert(call(SYS_io_uring_setup, 1, 0, 0, 0) != 0);
    return 0;
}
