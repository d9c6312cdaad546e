/* watch.c - which accesses to memory are points, when the plan does not ask for all. */
#include "engine/engine.h"
#include "engine/profile_record.h"
#include "trace/track.h"

/* A thread that makes so many accesses without a step may be waiting for another one. */
enum { PASSED_MAX = 1 << 16 };

/*
 * Nothing can be announced after an access: whoever is to be stopped there is stopped before its next one. So is
 * who may have let another one go on: that one comes first, if the picker says so, whatever is tracked.
 */
bool rd_engine_goes_after(const struct rd_engine *e, const struct rd_op *op) {
    unsigned flags = rd_op_flags(op->kind);
    bool access = flags & (RD_F_READS | RD_F_WRITES) && !(flags & RD_F_OBJECT);
    return !access || rd_track_of_op(e->rec.track, e->plan.track_count, op);
}

enum rd_access_action rd_engine_access(struct rd_engine *e, rd_tid tid, const struct rd_op *op) {
    if (e->plan.access_points == RD_ACCESSES_ALL)
        return RD_ACTION_ANNOUNCE;
    if (e->after)
        return RD_ACTION_ANNOUNCE; /* a profile has it as it has every step */
    if (e->plan.access_points == RD_ACCESSES_PROFILE)
        rd_profiler_add(e->profiler, tid, op);
    else if (rd_track_of_op(e->rec.track, e->plan.track_count, op))
        return RD_ACTION_ANNOUNCE;
    return rd_engine_untracked(e);
}

void rd_engine_unasked(struct rd_engine *e, rd_tid tid) { e->unasked = tid + 1u; }

enum rd_access_action rd_engine_untracked(struct rd_engine *e) {
    e->rec.out->passed++;
    if (rd_accesses_selective(e->plan.access_points) || ++e->passed < PASSED_MAX)
        return RD_ACTION_PROCEED;
    e->passed = 0;
    return RD_ACTION_YIELD;
}
