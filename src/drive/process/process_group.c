/*
 * process_group.c - see process_group.h. The group is kept by a process of its own, which does nothing else: so its
 * number stays when a tested process ends, and no tested program is the leader of its group, whatever the
 * isolation. When the driver is gone, even by a kill, the keeper reads the end of a pipe that only the driver
 * holds, and kills the group.
 */
#include "drive/process/process_group.h"

#include "drive/process/descendants.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile pid_t keeper;
static int driver_end = -1; /* of the pipe */

static _Noreturn void keep(int end) {
    char none;
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL); /* a tested program may send something to its group */
    setpgid(0, 0);
    dup2(end, 0);
    close_range(1, UINT_MAX, 0); /* whoever reads what the driver writes waits for the driver only */
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
        keep(ends[0]);
    close(ends[0]);
    if (pid < 0) {
        close(ends[1]);
        return -1;
    }
    setpgid(pid, pid); /* both do: nobody may come before it is a group */
    driver_end = ends[1];
    rd_descendants_own(pid);
    keeper = pid;
    return pid;
}

void rd_process_group_signal(int sig) {
    if (!keeper)
        return;
    kill(-keeper, sig);
    if (sig == SIGKILL)
        rd_descendants_end(); /* those that have left the group */
}

void rd_process_group_end(void) {
    if (!keeper)
        return;
    pid_t pid = keeper;
    rd_process_group_signal(SIGKILL);
    keeper = 0;
    close(driver_end);
    waitpid(pid, NULL, 0); /* if it is not known to be gone yet */
}
