/*
 * process_group.c - see process_group.h. The leader of the group is a process of its own, the keeper. So the number
 * of the group stays valid when a tested process ends, and no tested program is a group leader, with any isolation.
 * The keeper reads from a pipe whose write end only the driver has. When the driver ends, even by a SIGKILL, the
 * keeper reads the end of the file and kills the group.
 */
#include "drive/process/process_group.h"

#include "base/base.h"
#include "drive/process/descendants.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile pid_t keeper;   /* 0: there is no group */
static int pipe_write_end = -1; /* the driver's */

static _Noreturn void keep_group(int pipe_read_end) {
    char none;
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL); /* a tested program may send a signal to its group */
    setpgid(0, 0);
    dup2(pipe_read_end, 0);
    close_range(1, UINT_MAX, 0); /* a reader of the driver's output is not to wait for the keeper, too */
    while (read(0, &none, 1) > 0) {
    }
    kill(0, SIGKILL);
    _exit(0);
}

pid_t rd_process_group(void) {
    int ends[2];
    if (keeper)
        return keeper;
    rd_descendants_adopt();
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0)
        keep_group(ends[0]);
    close(ends[0]);
    if (pid < 0) {
        close(ends[1]);
        return -1;
    }
    setpgid(pid, pid); /* parent and child both do it, so that the group exists before either goes on */
    pipe_write_end = ends[1];
    rd_descendants_own(pid);
    keeper = pid;
    return pid;
}

void rd_process_group_signal(int sig) {
    if (!keeper)
        return;
    RD_CHECK(keeper > 1); /* kill(-1) would reach every process of the user */
    kill(-keeper, sig);
    if (sig == SIGKILL)
        rd_descendants_end(); /* also the processes that have left the group */
}

void rd_process_group_end(void) {
    if (!keeper)
        return;
    pid_t pid = keeper;
    rd_process_group_signal(SIGKILL);
    keeper = 0;
    close(pipe_write_end);
    waitpid(pid, NULL, 0); /* fails if rd_descendants_end has waited for it already */
}
