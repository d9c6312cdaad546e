/* known.c - see known.h. */
#include "search/known.h"

static bool is_within(struct rd_channel *c, uint32_t list, rd_place pc) {
    const struct rd_range *r = rd_channel_suppress(c);
    for (uint64_t i = 0; i < c->suppress_count; i++)
        if (r[i].list == list && pc >= r[i].first && pc <= r[i].last)
            return true;
    return false;
}

bool rd_known_suppress(struct rd_loop *l, const struct rd_finding *f) {
    struct rd_channel *c = l->channel;
    uint32_t list = f->kind == RD_PREDICTED_DEADLOCK ? RD_NAMES_SUPPRESS_DEADLOCK : RD_NAMES_SUPPRESS_RACE;
    bool benign = f->kind == RD_DATA_RACE && f->status == RD_RACE_BENIGN;
    if (!benign &&
        (f->kind == RD_LOCK_DISCIPLINE || !(is_within(c, list, f->pc) || is_within(c, list, f->other_pc))))
        return false;
    rd_map_put(&l->findings, l->arena, f->key);
    c->summary.suppressed++;
    return true;
}

void rd_known_count(struct rd_loop *l) {
    const struct rd_outcome *o = &l->channel->outcome;
    for (uint32_t i = 0; i < o->known_count; i++)
        if (!rd_map_get(&l->findings, o->known[i])) {
            rd_map_put(&l->findings, l->arena, o->known[i]);
            l->channel->summary.suppressed++;
        }
}
