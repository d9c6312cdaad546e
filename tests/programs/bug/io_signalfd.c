// A signal that is sent twice before it is read is read once.
// RADDLE: -s dfs
// EXPECT: deadlock
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int fd;

static void *taker(void *arg) {
    struct signalfd_siginfo info;
    for (int i = 0; i < 2; i++)
        assert(read(fd, &info, sizeof info) == sizeof info && info.ssi_signo == SIGUSR1); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    fd = signalfd(-1, &set, 0);
    pthread_create(&t, NULL, taker, NULL);
    pthread_kill(t, SIGUSR1);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, NULL);
    return 0;
}
