// One thread waits for any child, one polls; the waiting one lets a third thread run, which a child waits for.
// RADDLE: -s random --seed 1 -n 6
// EXPECT: none
// OUTPUT: not controlled: the program started another process
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ends[2], started;
static pid_t slow, self;

static void *starter(void *arg) {
    char c;
    pthread_mutex_lock(&lock);
    started++;
    pthread_mutex_unlock(&lock);
    slow = fork();
    if (slow == 0) /* the child's numbers are those that the program knows */
        _exit(getppid() == self && getpid() > 0 && read(ends[0], &c, 1) == 1 ? c : 1);
    siginfo_t info = {.si_pid = 0};
    assert(waitid(P_PID, (id_t)slow, &info, WEXITED | WNOWAIT) == 0 && info.si_pid == slow);
    assert(info.si_code == CLD_EXITED && info.si_status == 9 && getpgid(slow) == getpgrp());
    int status = 0;
    assert(wait(&status) == slow && WEXITSTATUS(status) == 9);
    assert(kill(slow, 0) == -1 && errno == ESRCH);
    return arg;
}

static void *writer(void *arg) {
    pthread_mutex_lock(&lock);
    started++;
    pthread_mutex_unlock(&lock);
    assert(write(ends[1], "\t", 1) == 1);
    return arg;
}

int main(void) {
    pthread_t t[2];
    int status = 0;
    self = getpid();
    assert(pipe(ends) == 0 && wait(NULL) == -1 && errno == ECHILD);
    pthread_create(&t[0], NULL, starter, NULL);
    pthread_create(&t[1], NULL, writer, NULL);
    pthread_join(t[0], NULL);
    pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    assert(child > 0 && child != slow && waitpid(child, &status, WNOHANG) == 0 && kill(child, SIGKILL) == 0);
    pid_t ended;
    while ((ended = waitpid(-1, &status, WNOHANG)) == 0)
        usleep(1000);
    assert(ended == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    pthread_join(t[1], NULL);
    return 0;
}
