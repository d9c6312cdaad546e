/*
 * suppression.c - see suppression.h. The user names code; a finding is known if one of its two places lies in that
 * code.
 */
#include "explore/suppression.h"

/* Does the place lie in code that is suppressed by this list? */
static bool is_within(struct rd_channel *c, uint32_t list, rd_place pc) {
    const struct rd_range *r = rd_channel_suppress(c);
    for (uint64_t i = 0; i < c->suppress_count; i++)
        if (r[i].list == list && pc >= r[i].first && pc <= r[i].last)
            return true;
    return false;
}

bool rd_suppression_covers(struct rd_channel *c, const struct rd_finding *f) {
    uint32_t list = f->kind == RD_PREDICTED_DEADLOCK ? RD_NAMES_SUPPRESS_DEADLOCK : RD_NAMES_SUPPRESS_RACE;
    if (f->kind == RD_DATA_RACE && f->status == RD_RACE_BENIGN)
        return true;
    return f->kind != RD_LOCK_DISCIPLINE && (is_within(c, list, f->pc) || is_within(c, list, f->other_pc));
}
