/* tracked_points.c - which accesses to memory are points, if the plan does not make all of them points. */
#include "engine/engine.h"
#include "engine/profile_record.h"
#include "trace/track.h"

/* A thread that makes so many accesses without a step may be in a loop that waits for another thread. */
enum { PASSED_MAX = 1 << 16 };

/*
 * A thread can be stopped only before an access, so a thread that is to be stopped after a tracked access stops
 * before its next access. So does a thread after an operation that is no access, which may have enabled another
 * thread: the picker can let that thread go first, whatever the plan tracks.
 */
bool rd_engine_goes_after(const struct rd_engine *e, const struct rd_op *op) {
    unsigned flags = rd_op_flags(op->kind);
    bool access = flags & (RD_F_READS | RD_F_WRITES) && !(flags & RD_F_OBJECT);
    return !access || rd_track_of_op(e->rec.track, e->plan.track_count, op);
}

enum rd_access_action rd_engine_access(struct rd_engine *e, rd_tid tid, const struct rd_op *op) {
    if (e->plan.access_points == RD_ACCESSES_ALL)
        return RD_ACTION_ANNOUNCE;
    if (e->next_is_point)
        return RD_ACTION_ANNOUNCE; /* with a profile, rd_engine_perform counts it as every step */
    if (e->plan.access_points == RD_ACCESSES_PROFILE)
        rd_profiler_add(e->profiler, tid, op);
    else if (rd_track_of_op(e->rec.track, e->plan.track_count, op))
        return RD_ACTION_ANNOUNCE;
    return rd_engine_untracked(e);
}

void rd_engine_unasked(struct rd_engine *e, rd_tid tid) {
    RD_CHECK(tid < e->world.count && e->world.threads[tid].state == RD_T_READY);
    e->unasked = tid + 1u;
}

enum rd_access_action rd_engine_untracked(struct rd_engine *e) {
    RD_ASSERT(e->plan.access_points != RD_ACCESSES_ALL && e->passed < PASSED_MAX);
    e->rec.out->passed++;
    if (rd_accesses_selective(e->plan.access_points) || ++e->passed < PASSED_MAX)
        return RD_ACTION_PROCEED;
    e->passed = 0;
    return RD_ACTION_YIELD;
}
