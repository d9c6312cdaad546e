// Handlers are left by a jump, again and again, also after faults: the mask belongs to the thread, and is restored each
// time.
// RADDLE: -s random --seed 1 -n 100
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread sigjmp_buf back;

static void jump(int number) { siglongjmp(back, number); }

static void is_open(int number) {
    sigset_t now;
    assert(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0 && !sigismember(&now, number));
}

static void *worker(void *arg) {
    volatile int rounds = 0;
    if (sigsetjmp(back, 1))
        rounds++;
    if (rounds < 2)
        raise(SIGUSR1);
    is_open(SIGUSR1);
    int number = sigsetjmp(back, 1);
    if (number == 0)
        *(volatile char *)arg = 1; /* the address is not mapped */
    assert(number == SIGSEGV);
    is_open(SIGSEGV);
    number = sigsetjmp(back, 1);
    if (number == 0)
        abort();
    assert(number == SIGABRT);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    signal(SIGUSR1, jump);
    signal(SIGSEGV, jump);
    signal(SIGABRT, jump);
    pthread_create(&t, NULL, worker, (void *)128);
    worker((void *)64);
    pthread_join(t, NULL);
    return 0;
}
