/*
 * snapshot_isolation.c - snapshot isolation: all executions in the explorer's process (snapshot.h), which puts
 * memory and descriptors back after each. An execution that is about to have an effect that a snapshot cannot undo
 * is unfit, and ends. An execution that lacks resources (carriers, memory) ends, too; the explorer provides them
 * for good, saves the memory anew, and runs the execution again.
 */
#include "base/text.h"
#include "rt/access/patch.h"
#include "rt/heap/program_heap.h"
#include "rt/io/fds.h"
#include "rt/explorer.h"
#include "rt/isolate/isolation.h"
#include "rt/isolate/kept.h"
#include "rt/isolate/shared_with_fork.h"
#include "rt/isolate/snapshot.h"
#include "rt/state.h"
#include "trace/profile.h"

static bool not_possible(char *why, const char *reason) {
    rd_text_copy(why, RD_ISOLATION_WHY, reason);
    return false;
}

/* Makes carriers for so many threads, and the beginnings of their heaps. */
static void provide(uint32_t threads) {
    threads = RD_MIN(threads, (uint32_t)RD_TID_MAX); /* an execution asks for more than it needs */
    rd_rt.backend->pool(threads - 1);
    for (uint32_t i = 0; i < threads; i++)
        rd_heap_open((rd_tid)i, 1);
}

static bool prepare(struct rd_channel *c, char *why) {
    struct rd_kept *k = rd_kept();
    RD_CHECK(k->search); /* the fence is put up around it */
    if (rd_isolation_own_malloc())
        return not_possible(why, "the program brings its own malloc");
    if (k->open.released && !rd_fds_make_all())
        return not_possible(why, rd_isolation_no_descriptors);
    provide(RD_CARRIERS_FIRST);
    k->timed = c->config.timing;
    if (!rd_snapshot_begin(why, RD_ISOLATION_WHY))
        return false;
    rd_memory_guard_open();
    return true;
}

static void end(void) {
    rd_snapshot_go(NULL);
    rd_memory_guard_close();
}

static bool put_back(struct rd_channel *c) {
    struct rd_kept *k = rd_kept();
    if (k->sharing.version != c->execution.sharing.version ||
        k->sharing.patience != c->execution.sharing.patience) {
        /* other accesses are points, or threads yield elsewhere: no deep checkpoint is the beginning of an
         * execution */
        rd_snapshot_go(NULL);
        rd_deep_checkpoint_forget();
        k->sharing = c->execution.sharing;
    }
    const struct rd_deep_checkpoint *from = rd_deep_checkpoint_choose();
    rd_snapshot_go(from);
    rd_channel_reset(c);
    if (from)
        rd_deep_checkpoint_outcome(from);
    if (k->moved)
        rd_shared_put_back();
    k->moved = 0;
    return true;
}

/* Provides the resources that the execution lacked, for good. Returns false, with the reason, if there is no room.
 */
static bool provide_more(char *why) {
    const struct rd_kept *k = rd_kept();
    RD_ASSERT(k->carriers || k->stack_size || k->heap_open || k->arena_more);
    if (k->carriers)
        provide(k->carriers);
    if (k->stack_size && rd_virtual_provide((rd_tid)k->stack_tid, k->stack_size) != 0)
        return not_possible(why, "there is no room for the stack that a thread asks for");
    if (k->heap_open && !rd_heap_open((rd_tid)k->heap_tid, k->heap_open))
        return not_possible(why, "the heap cannot be made as large as the program needs it");
    return rd_snapshot_renew(why, RD_ISOLATION_WHY);
}

/* Keeps the profile to which the execution adds, because the execution may have to be run again. */
static void keep_profile(struct rd_channel *c, bool profiles) {
    struct rd_kept *k = rd_kept();
    if (profiles && !k->profile)
        k->profile = rd_arena_alloc(&k->arena, sizeof *k->profile); /* zeroed memory: an empty profile */
    if (profiles)
        rd_profile_copy(k->profile, rd_channel_profile(c));
}

static enum rd_isolation_result run(struct rd_channel *c, char *why) {
    struct rd_kept *k = rd_kept();
    RD_ASSERT(rd_rt.snapshot && k->isolation == &rd_isolation_snapshot);
    bool profiles = c->execution.plan.access_points == RD_ACCESSES_PROFILE;
    if (rd_patch_apply() && !rd_snapshot_renew(why, RD_ISOLATION_WHY))
        return RD_ISOLATION_UNFIT;
    keep_profile(c, profiles);
    __atomic_store_n(&c->live.execution_pid, c->live.explorer_pid, __ATOMIC_RELEASE);
    uint64_t start = c->config.timing ? rd_explorer_now(NULL) : 0;
    enum rd_snapshot_end end = rd_snapshot_run(rd_explorer_now);
    c->result.summary.run_ns += c->config.timing ? rd_explorer_now(NULL) - start : 0;
    c->result.summary.restore_ns = k->restore_ns;
    c->result.summary.pages += k->hot_count;
    __atomic_store_n(&c->live.execution_pid, 0, __ATOMIC_RELEASE);
    if (profiles && (end == RD_SNAPSHOT_UNFIT || end == RD_SNAPSHOT_MORE))
        rd_profile_copy(rd_channel_profile(c), k->profile);
    switch (end) {
    case RD_SNAPSHOT_UNFIT:
        not_possible(why, k->unfit);
        return RD_ISOLATION_UNFIT;
    case RD_SNAPSHOT_MORE:
        return provide_more(why) ? RD_ISOLATION_AGAIN : RD_ISOLATION_UNFIT;
    case RD_SNAPSHOT_BROKEN:
        rd_isolation_broken(c);
    case RD_SNAPSHOT_LOST:
        rd_isolation_refuse(c, rd_isolation_no_descriptors, "");
        rd_isolation_refused(c);
    case RD_SNAPSHOT_OVER:
        break;
    }
    if (c->execution.outcome.verdict == RD_RUNNING)
        rd_outcome_by_status(c, k->status);
    rd_deep_checkpoint_after();
    return RD_ISOLATION_RAN;
}

const struct rd_isolation_ops rd_isolation_snapshot = {"snapshot", prepare, put_back, run, end};
