/*
 * explorer.c - the checkpoint. At the first thread creation this process becomes the explorer: it runs the search,
 * on a stack of its own (struct rd_kept), and ends with it. The executions go on from the checkpoint, each with its
 * plan; isolation.h says in which process. With exec isolation, and in a replay, there is no explorer: the process
 * itself is one execution, and goes on.
 */
#include "rt/explorer.h"

#include "explore/loop.h"
#include "rt/access/patch.h"
#include "rt/access/shared_access.h"
#include "rt/address/place_of_address.h"
#include "rt/call/call.h"
#include "rt/end_execution.h"
#include "rt/hook/called_by_runtime.h"
#include "rt/hook/time/timer.h"
#include "rt/inside.h"
#include "rt/io/fds.h"
#include "rt/isolate/isolation.h"
#include "rt/isolate/kept.h"
#include "rt/isolate/quick_exit.h"
#include "rt/isolate/search_memory.h"
#include "rt/isolate/snapshot.h"
#include "rt/isolate/team_member.h"
#include "rt/layout.h"
#include "rt/libc/libc_functions.h"
#include "rt/raw.h"
#include "rt/state.h"
#include "rt/watch/unseen_activity.h"

#include <errno.h>
#include <sched.h>
#include <sys/stat.h>
#include <time.h>

uint64_t rd_explorer_now(void *ctx) {
    (void)ctx;
    struct timespec t;
    RD_REAL(clock_gettime)(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void run(void *ctx) {
    (void)ctx;
    rd_isolation_run(rd_rt.channel);
}

static uint64_t output(void *ctx, char *to, uint64_t room) {
    (void)ctx;
    struct stat st;
    off_t size = fstat(rd_rt.output_fd, &st) == 0 ? st.st_size : 0;
    long n = size > 0 ? rd_raw(SYS_pread64, rd_rt.output_fd, to, room, 0L) : 0;
    return n > 0 ? (uint64_t)size : 0;
}

/* Keeps this process and its children on one core: parent and child share a cache then. */
static void pin(uint32_t seat) {
    cpu_set_t one;
    int cpu = ((int (*)(void))rd_real.sched_getcpu)();
    if (cpu < 0)
        return;
    cpu = rd_team_member_cpu(seat, cpu);
    CPU_ZERO(&one);
    CPU_SET((unsigned)cpu, &one);
    RD_REAL(sched_setaffinity)(0, sizeof one, &one);
}

/* The explorer, on its own stack. */
static void explore(void *unused) {
    (void)unused;
    struct rd_channel *c = rd_rt.channel;
    bool outlives;
    rd_isolation_choose(c);
    void *memory = rd_search_memory_get(&outlives);
    if (!memory)
        rd_rt_refuse(
            "cannot reserve address space for the search (has the program set itself a limit, with setrlimit?)");
    struct rd_arena arena; /* on the explorer's stack, in its first frame: at the same address in every process */
    rd_arena_init(&arena, memory, RD_SEARCH_SIZE);
    rd_kept()->search = &arena;
    __atomic_store_n(&c->live.explorer_pid, (int32_t)rd_raw(SYS_getpid), __ATOMIC_RELEASE);
    c->execution.annotation_kept = c->execution.annotation_count;
    c->execution.observed_kept = c->execution.observed_count;
    struct rd_team team; /* on the explorer's stack, which is kept memory */
    bool together = rd_team_member_team(&team, c->config.seat, rd_explorer_now);
    rd_affinity_save();
    pin(c->config.seat);
    rd_isolation_begin(c);
    struct rd_loop_env env = {.run = run,
                              .now_ns = rd_explorer_now,
                              .output = output,
                              .team = together ? &team : NULL,
                              .outlives = outlives};
    env.sharing = c->config.sharing == RD_SHARING_SEARCH ? rd_sharing_head() : NULL;
    rd_loop_run(c, &arena, &env);
    rd_fds_path_leave();
    rd_isolation_explorer_over();
}

void rd_rt_checkpoint(void) {
    struct rd_channel *c = rd_rt.channel;
    int saved = errno;
    RD_CHECK(!rd_rt.threaded && rd_self->tid == 0 &&
             rd_rt_active()); /* called once, by the program's only thread */
    rd_rt_enter();
    rd_place_refresh();
    rd_call_scan(); /* libraries that were loaded since the start */
    rd_quick_exit_look();
    rd_unseen_checkpoint();
    rd_timers_begin();
    if (c->config.mode == RD_MODE_EXPLORE) {
        rd_snapshot_explorer(explore);
        /* an execution begins: memory is as it was at the call */
        RD_CHECK(!rd_rt.threaded && rd_self->inside == 1);
        if (rd_kept()->forked)
            rd_unseen_forked();
    } else {
        rd_isolation_exec.run(c, NULL);
    }
    /* from here on this process, or this part of its life, is one execution */
    rd_rt.threaded = true;
    rd_timers_note();
    c->execution.outcome.started = 1;
    rd_rt.engine.strict = c->execution.plan.strict;
    struct rd_engine_limits limits = {
        .steps_max = c->config.steps_max, .fair_after = c->config.fair_after, .yields = c->config.yields};
    rd_engine_record(&rd_rt.engine, &c->execution.plan, &limits);
    rd_track_begin();
    rd_sharing_begin();
    if (c->config.focus)
        rd_engine_focus(&rd_rt.engine, c->config.ranges, c->config.range_count);
    rd_rt_leave();
    rd_errno_back(saved);
}
