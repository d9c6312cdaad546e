/*
 * fork_isolation.c - fork isolation: each execution in a child that is forked for it and goes on from the
 * checkpoint. State that parent and child share although they should not, such as positions of files, is put back
 * before each execution (shared_with_fork.c, rt/io/fds.h).
 *
 * The fork is `_Fork`: glibc's fork would hand the stacks of all carriers to its cache in the child, and a later
 * pthread_create would run on the stack of a live thread.
 */
#include "base/text.h"
#include "rt/access/patch.h"
#include "rt/io/fds.h"
#include "rt/isolate/isolation.h"
#include "rt/isolate/kept.h"
#include "rt/isolate/shared_with_fork.h"
#include "rt/isolate/snapshot.h"
#include "rt/raw.h"
#include "rt/state.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char no_contents[] = "a file that was there when the first thread was created cannot be put back";

static bool prepare(struct rd_channel *c, char *why) {
    rd_text_copy(c->result.summary.no_snapshot, sizeof c->result.summary.no_snapshot, why);
    return true;
}

static bool put_back(struct rd_channel *c) {
    if (!rd_isolation_own_malloc()) {
        uint32_t threads = RD_MAX(c->execution.path_count, (uint32_t)RD_CARRIERS_FIRST);
        rd_rt.backend->pool(RD_MIN(threads, (uint32_t)RD_TID_MAX) - 1);
    }
    rd_channel_reset(c);
    if (!rd_fds_files_back(~0U) || !rd_fds_fifos_back()) {
        rd_isolation_refuse(c, no_contents, "");
        return false;
    }
    rd_shared_put_back();
    rd_shared_put_back_flags();
    return true;
}

/* The child: its execution begins. `before`: the mask of signals that the program has. */
static _Noreturn void begin(struct rd_channel *c, const uint64_t *before) {
    if (rd_fds.special && !rd_fds_make_all()) {
        rd_isolation_refuse(c, rd_isolation_no_descriptors, "");
        rd_isolation_explorer_over();
    }
    rd_raw(SYS_rt_sigprocmask, SIG_SETMASK, before, NULL, sizeof *before);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* no orphans when the explorer is killed */
    rd_snapshot_forked();
}

static enum rd_isolation_result run(struct rd_channel *c, char *why) {
    (void)why;
    RD_ASSERT(!rd_kept()->running && !rd_kept()->forked);
    rd_patch_apply();
    /* a handler of the program's for SIGCHLD must not run at the end of an execution */
    const uint64_t ends = (uint64_t)1 << (SIGCHLD - 1);
    const struct timespec at_once = {0, 0};
    uint64_t before = 0, shape = rd_snapshot_shape();
    rd_raw(SYS_rt_sigprocmask, SIG_BLOCK, &ends, &before, sizeof before);
    if (rd_fds.special && !rd_kept()->open.released)
        rd_fds_release(); /* the program has both ends of a pipe, but only if no other process has one */
    pid_t pid = _Fork();
    if (pid == 0)
        begin(c, &before);
    if (pid < 0) {
        rd_isolation_refuse(c, "cannot fork: out of processes or memory", "");
        return RD_ISOLATION_RAN;
    }
    __atomic_store_n(&c->live.execution_pid, pid, __ATOMIC_RELEASE);
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (!(before & ends))
        rd_raw(SYS_rt_sigtimedwait, &ends, NULL, &at_once, sizeof ends);
    rd_raw(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
    __atomic_store_n(&c->live.execution_pid, 0, __ATOMIC_RELEASE);
    if (rd_snapshot_shape() != shape)
        rd_isolation_broken(c);
    if (c->execution.outcome.verdict == RD_RUNNING)
        rd_outcome_by_status(c, status);
    return RD_ISOLATION_RAN;
}

const struct rd_isolation_ops rd_isolation_fork = {"fork", prepare, put_back, run, NULL};
