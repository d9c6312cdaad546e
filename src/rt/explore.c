/*
 * explore.c - the checkpoint. At the first thread creation this process becomes the explorer: it runs the search
 * and forks a child for each execution; the child goes on from here with its plan. The explorer never runs the
 * program's code again, so nothing the program does can touch the search.
 *
 * The fork is `_Fork`: glibc's fork would hand the stacks of all carriers to its cache in the child, and a later
 * pthread_create would run on the stack of a live thread.
 */
#include "base/text.h"
#include "rt/isolate.h"
#include "rt/layout.h"
#include "rt/patch.h"
#include "rt/raw.h"
#include "rt/rt.h"
#include "rt/together.h"
#include "rt/unseen.h"
#include "search/loop.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { POOL_FIRST = 4 };

static jmp_buf checkpoint; /* where a child goes on */

static void run_child(void *ctx) {
    (void)ctx;
    struct rd_channel *c = rd_rt.channel;
    rd_rt.backend->pool(RD_MIN(RD_MAX(c->path_count, (uint32_t)POOL_FIRST), (uint32_t)RD_TID_MAX) - 1);
    rd_channel_reset(c);
    rd_isolate_restore();
    rd_patch_apply();
    pid_t pid = _Fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* no orphans when the explorer is killed */
        longjmp(checkpoint, 1);
    }
    if (pid < 0) {
        c->outcome.verdict = RD_REFUSED;
        rd_text_copy(c->outcome.message, sizeof c->outcome.message, "cannot fork: out of processes or memory");
        return;
    }
    __atomic_store_n(&c->execution_pid, pid, __ATOMIC_RELEASE);
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    __atomic_store_n(&c->execution_pid, 0, __ATOMIC_RELEASE);
    if (c->outcome.verdict == RD_RUNNING)
        rd_outcome_by_status(c, status);
}

static uint64_t now(void *ctx) {
    (void)ctx;
    struct timespec t;
    RD_REAL(clock_gettime)(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t output(void *ctx, char *to, uint64_t room) {
    (void)ctx;
    off_t size = lseek(rd_rt.output_fd, 0, SEEK_END);
    long n = size > 0 ? rd_raw(SYS_pread64, rd_rt.output_fd, to, room, 0L) : 0;
    return n > 0 ? (uint64_t)size : 0;
}

/* Parent and child on one core: the fork, its copies and the wait stay in one cache. */
static void pin(void) {
    cpu_set_t one;
    int cpu = ((int (*)(void))rd_real.sched_getcpu)();
    if (cpu < 0)
        return;
    cpu = rd_together_cpu(cpu);
    CPU_ZERO(&one);
    CPU_SET((unsigned)cpu, &one);
    RD_REAL(sched_setaffinity)(0, sizeof one, &one);
}

static _Noreturn void explorer_over(void) {
    for (;;)
        rd_raw(SYS_exit_group, 0);
}

static _Noreturn void explore(void) {
    struct rd_channel *c = rd_rt.channel;
    struct rd_summary *s = &c->summary;
    char why[128];
    if (rd_isolate_problem(why, sizeof why) && c->config.allow_exec) {
        s->end = RD_END_NO_FORK;
        rd_text_copy(s->message, sizeof s->message, why);
        explorer_over();
    }
    void *memory = mmap((void *)RD_SEARCH_AT, RD_SEARCH_SIZE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (memory == MAP_FAILED)
        rd_rt_refuse("cannot reserve address space for the search");
    madvise(memory, RD_SEARCH_SIZE, MADV_DONTFORK); /* the child has no use for it */
    struct rd_arena arena;
    rd_arena_init(&arena, memory, RD_SEARCH_SIZE);
    __atomic_store_n(&c->explorer_pid, (int32_t)rd_raw(SYS_getpid), __ATOMIC_RELEASE);
    c->mark_kept = c->mark_count;
    c->observed_kept = c->observed_count;
    struct rd_loop_env env = {.run = run_child, .now_ns = now, .output = output};
    env.team = rd_together_team(c->config.seat, now);
    rd_affinity_save();
    pin();
    rd_loop_run(c, &arena, &env);
    explorer_over();
}

void rd_rt_checkpoint(void) {
    struct rd_channel *c = rd_rt.channel;
    int saved = errno;
    rd_rt_enter();
    rd_place_refresh();
    rd_unseen_checkpoint();
    if (c->config.mode == RD_MODE_EXPLORE) {
        if (setjmp(checkpoint) == 0)
            explore();
        rd_unseen_forked();
    } else {
        rd_patch_apply();
    }
    /* one execution, here */
    rd_rt.threaded = true;
    c->outcome.started = 1;
    rd_rt.engine.strict = c->config.strict;
    struct rd_engine_limits limits = {c->config.steps_max, c->config.fair_after, c->config.yields};
    rd_engine_record(&rd_rt.engine, &c->plan, &limits);
    rd_track_begin();
    if (c->config.focus)
        rd_engine_focus(&rd_rt.engine, c->config.ranges, c->config.range_count);
    rd_rt_leave();
    errno = saved;
}
