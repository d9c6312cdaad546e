/*
 * loop_findings.c - the findings of a search: each is kept once, with the schedule of the execution that showed it
 * first and with what its replay needs to know of the points (what was tracked, what was shared).
 */
#include "explore/loop.h"

#include "explore/known_findings.h"

#include <string.h>

/* Keeps a new finding with its schedule of so many steps; one that is known already is only counted. */
static void keep_steps(struct rd_loop *l, const struct rd_finding *finding, uint32_t steps) {
    struct rd_channel *c = l->channel;
    struct rd_summary *s = &c->result.summary;
    const struct rd_outcome *o = &c->execution.outcome;
    s->findings += !rd_is_warning(&c->config, finding);
    uint64_t *known = rd_map_put(&l->findings, l->arena, finding->key);
    if (*known) {
        c->result.found[*known - 1].count++;
        return;
    }
    if (s->found_count == RD_FOUND_MAX || s->store_used + steps > c->store_max ||
        s->tracks_used + c->execution.plan.track_count > RD_TRACKS_STORED) {
        s->unstored++;
        return;
    }
    struct rd_found *f = &c->result.found[s->found_count];
    const struct rd_plan none = {0}, *plan = o->started ? &c->execution.plan : &none; /* none before a thread */
    *f = (struct rd_found){.finding = *finding,
                           .execution = rd_loop_number(l),
                           .store = s->store_used,
                           .steps = steps,
                           .preemptions = o->preemptions,
                           .threads = o->threads,
                           .sharing = o->started && plan->access_points == RD_ACCESSES_ALL
                                          ? c->execution.sharing
                                          : (struct rd_sharing_use){0},
                           .access_points = plan->access_points,
                           .yields = plan->yields,
                           .track = s->tracks_used,
                           .track_count = plan->track_count,
                           .heap_known = o->known_count != 0,
                           .count = 1};
    memcpy(rd_channel_store(c) + f->store, rd_channel_record(c).steps, steps * sizeof(struct rd_step));
    memcpy(rd_channel_track_store(c) + f->track, rd_channel_track(c), f->track_count * sizeof(struct rd_track));
    s->tracks_used += f->track_count;
    s->store_used += steps;
    *known = ++s->found_count;
}

void rd_loop_keep_finding(struct rd_loop *l, const struct rd_finding *f) {
    keep_steps(l, f, f->step ? f->step : l->channel->execution.outcome.steps); /* it shows there */
}

/* What was wrong on its way, and did not end it. */
static void keep_noted(struct rd_loop *l) {
    const struct rd_outcome *o = &l->channel->execution.outcome;
    for (uint32_t i = 0; i < o->noted_count; i++) {
        struct rd_finding f = rd_noted_finding(&o->noted[i]);
        keep_steps(l, &f, o->noted[i].steps);
    }
}

void rd_loop_keep_shown(struct rd_loop *l) {
    const struct rd_outcome *o = &l->channel->execution.outcome;
    rd_known_count(l);
    if (o->verdict == RD_FOUND) {
        rd_loop_keep_finding(l, &o->finding);
        l->read_only = false;
    }
    if (o->verdict != RD_DROPPED)
        keep_noted(l);
}
