// A signal handler ends its thread in the middle of a wait. At a futex the kernel has taken the thread out of the
// queue by then, so the next wake-up is for another thread. At a condition the thread takes its mutex back, and the
// cleanup handler unlocks it.
// RADDLE: -s dfs
// EXPECT: none
// EXECUTIONS: 72
// MODE: plain
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static atomic_int word;

static long futex(int op, int value) { return syscall(SYS_futex, &word, op, value, NULL, NULL, 0); }

static void handler(int sig) {
    (void)sig;
    pthread_exit(NULL);
}

static void unlock(void *mutex) { assert(pthread_mutex_unlock(mutex) == 0); }

static void *at_futex(void *arg) {
    futex(FUTEX_WAIT_PRIVATE, 0);
    return arg;
}

static void *at_condition(void *arg) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_mutex_lock(&m);
    pthread_cleanup_push(unlock, &m);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL); /* from here on the handler finds the mutex locked, or in a wait */
    for (;;)
        pthread_cond_wait(&c, &m);
    pthread_cleanup_pop(0);
    return arg;
}

int main(void) {
    struct sigaction action = {.sa_handler = handler};
    pthread_t t, u;
    sigset_t set;
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&t, NULL, at_futex, NULL);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, NULL);
    pthread_create(&u, NULL, at_futex, NULL);
    if (futex(FUTEX_WAKE_PRIVATE, 1) == 0) { /* it does not wait yet */
        word = 1;
        futex(FUTEX_WAKE_PRIVATE, 1);
    }
    pthread_join(u, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&t, NULL, at_condition, NULL);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, NULL);
    return pthread_mutex_lock(&m);
}
