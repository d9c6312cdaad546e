// The signal of a child's end: a handler that waits for the child, a thread that waits for the signal, and one that
// waits for the handler.
// RADDLE: -s random --seed 1 -n 60
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t ended, known;
static sigset_t child_set;

static void on_child(int sig, siginfo_t *info, void *context) {
    (void)sig;
    (void)context;
    int status;
    pid_t pid;
    known = info->si_code == CLD_EXITED && info->si_pid > 0;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        known = known && pid == info->si_pid && WEXITSTATUS(status) == 4;
        ended++;
    }
}

static pid_t start(int status) {
    pid_t child = fork();
    if (child == 0)
        _exit(status);
    return child;
}

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *waiter(void *arg) {
    siginfo_t info;
    assert(sigwaitinfo(&child_set, &info) == SIGCHLD && info.si_status == 5);
    assert(waitpid(info.si_pid, NULL, 0) == info.si_pid);
    return arg;
}

int main(void) {
    pthread_t t[2];
    sigset_t before;
    struct sigaction a = {.sa_sigaction = on_child, .sa_flags = SA_SIGINFO}, old;
    sigaction(SIGCHLD, &a, &old);
    assert(old.sa_handler == SIG_DFL);
    sigemptyset(&child_set);
    sigaddset(&child_set, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &child_set, &before);
    pthread_create(&t[0], NULL, worker, NULL);
    assert(start(4) > 0 && ended == 0);
    while (!ended)
        sigsuspend(&before);
    assert(ended == 1 && known);
    pthread_create(&t[1], NULL, waiter, NULL);
    assert(start(5) > 0);
    pthread_join(t[1], NULL);
    pthread_join(t[0], NULL);
    assert(ended == 1);
    return 0;
}
