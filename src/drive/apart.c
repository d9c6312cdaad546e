/* apart.c - see apart.h. The process dies with the driver, and what it has started dies with it (launch.c). */
#include "drive/apart.h"

#include "drive/family.h"
#include "drive/group.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TICK_MS = 20 };

static enum rd_apart_end wait_for(const struct rd_apart *a, pid_t pid, int *status) {
    struct pollfd p = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
    bool late = false;
    for (;;) {
        poll(&p, 1, TICK_MS);
        pid_t done = waitpid(pid, status, WNOHANG);
        if (done == pid || (done < 0 && errno != EINTR))
            break;
        rd_family_reap();
        if (a->tick)
            a->tick(a->ctx);
        if (!late && a->stage(a->ctx) == RD_STAGE_LAST)
            late = kill(pid, SIGKILL) == 0;
    }
    rd_family_gone(pid);
    if (p.fd >= 0)
        close(p.fd);
    return WIFEXITED(*status) ? RD_APART_DONE : late ? RD_APART_LATE : RD_APART_DIED;
}

static void leave_signals(void) {
    static const int asking[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t set;
    sigemptyset(&set);
    for (unsigned i = 0; i < RD_COUNT(asking); i++)
        sigaddset(&set, asking[i]);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

enum rd_apart_end rd_apart(const struct rd_apart *a, int *status) {
    pid_t driver = getpid(), pid = -1;
    if (rd_deadline_begun() && rd_group() > 0) /* the group is the driver's, and it is there before */
        pid = fork();
    if (pid < 0) {
        a->work(a->ctx);
        return RD_APART_DONE;
    }
    if (pid > 0) {
        rd_family_own(pid);
        return wait_for(a, pid, status);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    leave_signals();
    rd_deadline_follow(a->stop);
    if (getppid() == driver)
        a->work(a->ctx);
    _exit(0);
}
