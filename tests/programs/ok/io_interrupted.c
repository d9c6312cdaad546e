// A signal ends a wait for a pipe with EINTR, or with SA_RESTART the wait begins again; poll never begins again.
// RADDLE: -s random --seed 1 -n 60
// EXPECT: none
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static int ends[2], told[2];

static void on_signal(int sig) {
    (void)sig;
    assert(write(told[1], "s", 1) == 1);
}

static void *sender(void *arg) {
    char c;
    pthread_kill(*(pthread_t *)arg, SIGUSR1);
    assert(read(told[0], &c, 1) == 1);
    pthread_kill(*(pthread_t *)arg, SIGUSR2);
    assert(read(told[0], &c, 1) == 1);
    assert(write(ends[1], "x", 1) == 1);
    return NULL;
}

int main(void) {
    pthread_t t, self = pthread_self();
    char c = 0;
    struct sigaction breaks = {.sa_handler = on_signal}, restarts = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigset_t both, none;
    sigemptyset(&none);
    sigemptyset(&both);
    sigaddset(&both, SIGUSR1);
    sigaddset(&both, SIGUSR2);
    assert(pipe(ends) == 0 && pipe(told) == 0);
    sigaction(SIGUSR1, &restarts, NULL);
    sigaction(SIGUSR2, &breaks, NULL);
    pthread_sigmask(SIG_BLOCK, &both, NULL);
    pthread_create(&t, NULL, sender, &self);
    struct pollfd p = {.fd = ends[0], .events = POLLIN};
    assert(ppoll(&p, 1, NULL, &none) == -1 && errno == EINTR); /* SIGUSR1 */
    pthread_sigmask(SIG_UNBLOCK, &both, NULL);
    ssize_t n = read(ends[0], &c, 1);
    assert(n == 1 || (n == -1 && errno == EINTR));
    if (n < 0)
        n = read(ends[0], &c, 1);
    assert(n == 1 && c == 'x');
    pthread_join(t, NULL);
    return 0;
}
