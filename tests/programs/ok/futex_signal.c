// A signal handler ends a futex wait with EINTR, or the wait begins again and compares the word again.
// RADDLE: -s random --seed 1 -n 300
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int words[2];
static atomic_int handled, waiter_id;

static void handler(int sig) {
    atomic_store(&words[sig == SIGUSR2], 1); /* without a wake-up */
    atomic_fetch_add(&handled, 1);
}

static int wait_at(atomic_int *word) {
    return syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) == 0 ? 0 : errno;
}

static void *waiter(void *arg) {
    atomic_store(&waiter_id, (int)syscall(SYS_gettid));
    int error = wait_at(&words[0]);
    assert(error == EINTR || error == EAGAIN);
    assert(wait_at(&words[1]) == EAGAIN); /* SA_RESTART */
    return arg;
}

int main(void) {
    pthread_t t;
    struct sigaction once = {.sa_handler = handler}, again = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &once, NULL);
    sigaction(SIGUSR2, &again, NULL);
    pthread_create(&t, NULL, waiter, NULL);
    pthread_kill(t, SIGUSR1);
    while (!atomic_load(&handled) || !atomic_load(&waiter_id))
        sched_yield();
    syscall(SYS_tgkill, getpid(), atomic_load(&waiter_id), SIGUSR2);
    pthread_join(t, NULL);
    assert(handled == 2);
    return 0;
}
