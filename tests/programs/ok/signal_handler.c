// pthread_kill runs the handler in that thread; masks are a thread's own and inherited; a handler may post.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t ready, go, handled;
static __thread volatile sig_atomic_t own;

static void handler(int number) {
    own += number == SIGUSR1;
    sem_post(&handled);
}

static void *worker(void *arg) {
    sigset_t set, old;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    assert(pthread_sigmask(SIG_BLOCK, NULL, &old) == 0 && sigismember(&old, SIGUSR1) == 1); /* inherited */
    sem_post(&ready);
    while (sem_wait(&go) == -1)
        assert(errno == EINTR);
    assert(own == 0);
    sigset_t pending;
    assert(sigpending(&pending) == 0 && sigismember(&pending, SIGUSR1) == 1);
    assert(pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0);
    assert(own == 1); /* it came before the call returned */
    return arg;
}

int main(void) {
    pthread_t t;
    sigset_t set;
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGUSR1, &action, NULL);
    sem_init(&ready, 0, 0);
    sem_init(&go, 0, 0);
    sem_init(&handled, 0, 0);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&t, NULL, worker, NULL);
    sem_wait(&ready);
    assert(pthread_kill(t, SIGUSR1) == 0);
    sem_post(&go);
    sem_wait(&handled);
    pthread_join(t, NULL);
    return own != 0;
}
