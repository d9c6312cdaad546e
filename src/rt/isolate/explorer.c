/*
 * explorer.c - the checkpoint. At the first thread creation this process becomes the explorer: it runs the search,
 * on a stack of its own. An execution goes on from here with its plan: in this process, whose memory is put back
 * afterwards (snapshot.h), or in a child that is forked for it. What a snapshot cannot isolate is noticed while it
 * runs; that execution is then run again in a child, and so are all others after it.
 *
 * The fork is `_Fork`: glibc's fork would hand the stacks of all carriers to its cache in the child, and a later
 * pthread_create would run on the stack of a live thread.
 */
#include "rt/isolate/explorer.h"

#include "base/text.h"
#include "explore/loop.h"
#include "rt/access/patch.h"
#include "rt/access/shared_access.h"
#include "rt/address/place_of_address.h"
#include "rt/call/call.h"
#include "rt/end_execution.h"
#include "rt/heap/program_heap.h"
#include "rt/hook/called_by_runtime.h"
#include "rt/hook/time/timer.h"
#include "rt/inside.h"
#include "rt/io/fds.h"
#include "rt/isolate/fork_isolation.h"
#include "rt/isolate/quick_exit.h"
#include "rt/isolate/search_memory.h"
#include "rt/isolate/snapshot.h"
#include "rt/isolate/team_member.h"
#include "rt/layout.h"
#include "rt/libc/libc_functions.h"
#include "rt/raw.h"
#include "rt/state.h"
#include "rt/thread/backend.h"
#include "rt/watch/unseen_activity.h"
#include "trace/profile.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { POOL_FIRST = 4 };

static uint64_t now(void *ctx) {
    (void)ctx;
    struct timespec t;
    RD_REAL(clock_gettime)(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void refuse(struct rd_channel *c, const char *first, const char *then) {
    struct rd_text t;
    c->outcome.verdict = RD_REFUSED;
    rd_text_init(&t, c->outcome.message, sizeof c->outcome.message);
    rd_text_str(&t, first);
    rd_text_str(&t, then);
}

static _Noreturn void explorer_over(void) {
    for (;;)
        rd_raw(SYS_exit_group, 0);
}

/* The outcome says why. */
static _Noreturn void refused(struct rd_channel *c) {
    struct rd_summary *s = &c->summary;
    s->end = RD_END_TROUBLE;
    s->trouble = RD_REFUSED;
    rd_text_copy(s->message, sizeof s->message, c->outcome.message);
    explorer_over();
}

/* Not a step more with that memory. */
static _Noreturn void broken(struct rd_channel *c) {
    refuse(c, "the program has written into the memory of the search", "");
    c->summary.broken = 1;
    refused(c);
}

/* A stack that is made beforehand is a call of malloc: one of the program's own would have given other addresses.
 */
static bool own_malloc(void) {
    const struct rd_module *own = rd_place_own();
    void *at = dlsym(RTLD_DEFAULT, "malloc"), *symbol = NULL;
    Dl_info info;
    if (!own || ((uintptr_t)at >= own->start && (uintptr_t)at < own->end))
        return false;
    /* where a program takes its address, that may be an entry of its linkage table: nothing is defined there */
    bool found = dladdr1(at, &info, &symbol, RTLD_DL_SYMENT) != 0 && symbol;
    return !found || ((const ElfW(Sym) *)symbol)->st_shndx != SHN_UNDEF;
}

static const char no_descriptors[] =
    "the descriptors that were open when the first thread was created cannot be made anew";

static const char no_contents[] = "a file that was there when the first thread was created cannot be put back";

static void run_child(struct rd_channel *c) {
    if (!own_malloc())
        rd_rt.backend->pool(RD_MIN(RD_MAX(c->path_count, (uint32_t)POOL_FIRST), (uint32_t)RD_TID_MAX) - 1);
    rd_channel_reset(c);
    if (!rd_fds_files_back(~0U) || !rd_fds_fifos_back()) {
        refuse(c, no_contents, "");
        return;
    }
    rd_fork_isolation_restore();
    rd_fork_isolation_restore_flags();
    rd_patch_apply();
    /* the end of an execution is no matter for a handler of the program's */
    const uint64_t ends = (uint64_t)1 << (SIGCHLD - 1);
    const struct timespec at_once = {0, 0};
    uint64_t before = 0, shape = rd_snapshot_shape();
    rd_raw(SYS_rt_sigprocmask, SIG_BLOCK, &ends, &before, sizeof before);
    if (rd_fds.special && !rd_kept()->open.released)
        rd_fds_release(); /* the program has both ends, but only if nobody else has one */
    pid_t pid = _Fork();
    if (pid == 0) {
        if (rd_fds.special && !rd_fds_make_all()) {
            refuse(c, no_descriptors, "");
            explorer_over();
        }
        rd_raw(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* no orphans when the explorer is killed */
        rd_snapshot_forked();
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
    if (!(before & ends))
        rd_raw(SYS_rt_sigtimedwait, &ends, NULL, &at_once, sizeof ends);
    rd_raw(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
    __atomic_store_n(&c->execution_pid, 0, __ATOMIC_RELEASE);
    if (rd_snapshot_shape() != shape)
        broken(c);
    if (c->outcome.verdict == RD_RUNNING)
        rd_outcome_by_status(c, status);
}

static const char no_snapshot[] = "snapshot isolation is not possible: ";

/* Carriers, and room in their heaps, as far as they are known to be needed. */
static void provide(uint32_t carriers) {
    rd_rt.backend->pool(RD_MIN(carriers, (uint32_t)RD_TID_MAX) - 1);
    for (uint32_t i = 0; i < carriers; i++)
        rd_heap_open((rd_tid)i, 1);
}

/* From now on with a process each; `why` is told. False: the user wants it otherwise. */
static bool give_up(struct rd_channel *c, const char *why) {
    rd_kept()->snapshot = 0;
    rd_snapshot_go(NULL);
    rd_memory_guard_close();
    if (c->config.isolation == RD_ISOLATION_SNAPSHOT) {
        refuse(c, no_snapshot, why);
        return false;
    }
    rd_text_copy(c->summary.no_snapshot, sizeof c->summary.no_snapshot, why);
    return true;
}

static bool begin_snapshot(struct rd_channel *c) {
    char why[192];
    if (own_malloc())
        return give_up(c, "the program brings its own malloc");
    if (rd_kept()->open.released && !rd_fds_make_all())
        return give_up(c, no_descriptors);
    provide(POOL_FIRST);
    rd_kept()->timed = c->config.timing;
    rd_kept()->snapshot = rd_snapshot_begin(why, sizeof why);
    if (rd_kept()->snapshot)
        rd_memory_guard_open();
    return rd_kept()->snapshot || give_up(c, why);
}

/* What the execution lacked is there from now on, for all others, too. */
static bool provide_more(struct rd_channel *c) {
    struct rd_kept *k = rd_kept();
    char why[192];
    if (k->carriers)
        provide(k->carriers);
    if (k->stack_size && rd_virtual_provide((rd_tid)k->stack_tid, k->stack_size) != 0)
        return give_up(c, "there is no room for the stack that a thread asks for");
    if (k->heap_open && !rd_heap_open((rd_tid)k->heap_tid, k->heap_open))
        return give_up(c, "the heap cannot be made as large as the program needs it");
    return rd_snapshot_renew(why, sizeof why) || give_up(c, why);
}

/* True: the execution was run, or there is no other way to. */
static bool run_here(struct rd_channel *c) {
    struct rd_kept *k = rd_kept();
    char why[192];
    if (k->sharing.version != c->sharing.version || k->sharing.patience != c->sharing.patience) {
        /* other accesses are points, or threads yield elsewhere */
        rd_snapshot_go(NULL);
        rd_deep_checkpoint_forget();
        k->sharing = c->sharing;
    }
    const struct rd_deep_checkpoint *from = rd_deep_checkpoint_choose();
    rd_snapshot_go(from);
    rd_channel_reset(c);
    if (from)
        rd_deep_checkpoint_outcome(from);
    if (k->moved)
        rd_fork_isolation_restore();
    k->moved = 0;
    if (rd_patch_apply() && !rd_snapshot_renew(why, sizeof why))
        return !give_up(c, why);
    bool profiles = c->plan.access_points == RD_ACCESSES_PROFILE;
    if (profiles && !k->profile)
        k->profile = rd_arena_alloc(&k->arena, sizeof *k->profile); /* nothing was ever there: it is empty */
    if (profiles)
        rd_profile_copy(k->profile, rd_channel_profile(c));
    __atomic_store_n(&c->execution_pid, c->explorer_pid, __ATOMIC_RELEASE);
    uint64_t start = c->config.timing ? now(NULL) : 0;
    enum rd_snapshot_end end = rd_snapshot_run(now);
    c->summary.run_ns += c->config.timing ? now(NULL) - start : 0;
    c->summary.restore_ns = k->restore_ns;
    c->summary.pages += k->hot_count;
    __atomic_store_n(&c->execution_pid, 0, __ATOMIC_RELEASE);
    if (profiles && (end == RD_SNAPSHOT_UNFIT || end == RD_SNAPSHOT_MORE))
        rd_profile_copy(rd_channel_profile(c), k->profile); /* it will be run again */
    switch (end) {
    case RD_SNAPSHOT_UNFIT:
        return !give_up(c, k->unfit);
    case RD_SNAPSHOT_MORE:
        return !provide_more(c);
    case RD_SNAPSHOT_BROKEN:
        broken(c);
    case RD_SNAPSHOT_LOST:
        refuse(c, no_descriptors, "");
        refused(c);
    case RD_SNAPSHOT_OVER:
        break;
    }
    if (c->outcome.verdict == RD_RUNNING)
        rd_outcome_by_status(c, k->status);
    rd_deep_checkpoint_after();
    return true;
}

static void run(void *ctx) {
    (void)ctx;
    struct rd_channel *c = rd_rt.channel;
    if (rd_kept()->apart) {
        rd_kept()->apart = 0;
        run_child(c);
        begin_snapshot(c);
        return;
    }
    while (rd_kept()->snapshot)
        if (run_here(c))
            return;
    run_child(c);
}

static uint64_t output(void *ctx, char *to, uint64_t room) {
    (void)ctx;
    struct stat st;
    off_t size = fstat(rd_rt.output_fd, &st) == 0 ? st.st_size : 0;
    long n = size > 0 ? rd_raw(SYS_pread64, rd_rt.output_fd, to, room, 0L) : 0;
    return n > 0 ? (uint64_t)size : 0;
}

/* Parent and child on one core: the fork, its copies and the wait stay in one cache. */
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

static void explore(void *unused) {
    (void)unused;
    struct rd_channel *c = rd_rt.channel;
    struct rd_summary *s = &c->summary;
    char why[128];
    bool shared = rd_fork_isolation_problem(why, sizeof why);
    if (shared && c->config.isolation == RD_ISOLATION_AUTO) {
        s->end = RD_END_NO_FORK;
        rd_text_copy(s->message, sizeof s->message, why);
        explorer_over();
    }
    if (shared && c->config.isolation == RD_ISOLATION_SNAPSHOT) {
        refuse(c, no_snapshot, why);
        refused(c);
    }
    if (shared) {
        refuse(c, "fork isolation is not possible: ", why);
        refused(c);
    }
    bool outlives;
    void *memory = rd_search_memory_memory(&outlives);
    if (!memory)
        rd_rt_refuse(
            "cannot reserve address space for the search (has the program set itself a limit, with setrlimit?)");
    struct rd_arena arena; /* like the team, at the same address in every process: they are in the first frame */
    rd_arena_init(&arena, memory, RD_SEARCH_SIZE);
    rd_kept()->search = &arena;
    __atomic_store_n(&c->explorer_pid, (int32_t)rd_raw(SYS_getpid), __ATOMIC_RELEASE);
    c->annotation_kept = c->annotation_count;
    c->observed_kept = c->observed_count;
    struct rd_team team; /* here, where nothing is put back */
    bool together = rd_team_member_team(&team, c->config.seat, now);
    rd_affinity_save();
    pin(c->config.seat);
    rd_kept()->apart = c->config.resumes && c->config.isolation == RD_ISOLATION_AUTO;
    if (c->config.isolation != RD_ISOLATION_FORK && !rd_kept()->apart && !begin_snapshot(c))
        refused(c);
    struct rd_loop_env env = {
        .run = run, .now_ns = now, .output = output, .team = together ? &team : NULL, .outlives = outlives};
    env.sharing = c->config.sharing == RD_SHARING_SEARCH ? rd_sharing_head() : NULL;
    rd_loop_run(c, &arena, &env);
    rd_fds_path_leave();
    explorer_over();
}

void rd_rt_checkpoint(void) {
    struct rd_channel *c = rd_rt.channel;
    int saved = errno;
    rd_rt_enter();
    rd_place_refresh();
    rd_call_scan(); /* libraries that were loaded since the start */
    rd_quick_exit_look();
    rd_unseen_checkpoint();
    rd_timers_begin();
    if (c->config.mode == RD_MODE_EXPLORE) {
        rd_snapshot_explorer(explore);
        /* an execution begins */
        if (rd_kept()->forked)
            rd_unseen_forked();
    } else {
        rd_patch_apply();
    }
    /* one execution, here */
    rd_rt.threaded = true;
    rd_timers_note();
    c->outcome.started = 1;
    rd_rt.engine.strict = c->config.strict;
    struct rd_engine_limits limits = {
        .steps_max = c->config.steps_max, .fair_after = c->config.fair_after, .yields = c->config.yields};
    rd_engine_record(&rd_rt.engine, &c->plan, &limits);
    rd_track_begin();
    rd_sharing_begin();
    if (c->config.focus)
        rd_engine_focus(&rd_rt.engine, c->config.ranges, c->config.range_count);
    rd_rt_leave();
    rd_errno_back(saved);
}
