/*
 * side_process.c - see side_process.h. The kernel kills the side process when the driver ends (PR_SET_PDEATHSIG),
 * and the processes that it has started when it ends (launch.c).
 */
#include "drive/process/side_process.h"

#include "drive/process/descendants.h"
#include "drive/process/process_group.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TICK_MS = 20 };

static enum rd_side_process_end wait_for(const struct rd_side_process *a, pid_t pid, int *status) {
    RD_CHECK(pid > 0);
    struct pollfd p = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
    bool late = false;
    for (;;) {
        poll(&p, 1, TICK_MS);
        pid_t done = waitpid(pid, status, WNOHANG);
        if (done == pid || (done < 0 && errno != EINTR))
            break;
        rd_descendants_reap();
        if (a->tick)
            a->tick(a->ctx);
        if (!late && a->stage(a->ctx) == RD_STAGE_LAST)
            late = kill(pid, SIGKILL) == 0;
    }
    rd_descendants_gone(pid);
    if (p.fd >= 0)
        close(p.fd);
    return WIFEXITED(*status) ? RD_SIDE_PROCESS_DONE : late ? RD_SIDE_PROCESS_LATE : RD_SIDE_PROCESS_DIED;
}

static void block_stop_signals(void) {
    static const int asking[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t set;
    sigemptyset(&set);
    for (unsigned i = 0; i < RD_COUNT(asking); i++)
        sigaddset(&set, asking[i]);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

enum rd_side_process_end rd_side_process(const struct rd_side_process *a, int *status) {
    pid_t driver = getpid(), pid = -1;
    if (rd_deadline_begun() && rd_process_group() > 0) /* the group exists before: the driver must be its owner */
        pid = fork();
    if (pid < 0) {
        a->work(a->ctx);
        return RD_SIDE_PROCESS_DONE;
    }
    if (pid > 0) {
        rd_descendants_own(pid);
        return wait_for(a, pid, status);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    block_stop_signals();
    rd_deadline_follow(a->stop);
    if (getppid() == driver)
        a->work(a->ctx);
    _exit(0);
}
