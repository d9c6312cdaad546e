/*
 * loop_findings.c - the findings of a search. Each is kept once, with the schedule of the execution that showed it
 * first, and with the facts that determine the points of that execution: tracked variables, and the version of
 * shared memory.
 */
#include "explore/loop.h"

#include "explore/known_findings.h"
#include "trace/held.h"

#include <string.h>

/* Appends the pieces that the plan tracked to the store of tracked variables. pre: there is room */
static void store_tracks(struct rd_channel *c, struct rd_found *f) {
    struct rd_summary *s = &c->result.summary;
    memcpy(rd_channel_track_store(c) + f->track, rd_channel_track(c), f->track_count * sizeof(struct rd_track));
    s->tracks_used += f->track_count;
    RD_CHECK(s->tracks_used <= RD_TRACKS_STORED);
}

/* Appends the first steps of the execution in the channel to the store of steps. pre: there is room */
static void store_steps(struct rd_channel *c, struct rd_found *f) {
    struct rd_summary *s = &c->result.summary;
    memcpy(rd_channel_store(c) + f->store, rd_channel_record(c).steps, f->steps * sizeof(struct rd_step));
    s->store_used += f->steps;
    RD_CHECK(s->store_used <= c->store_max);
}

void rd_loop_note_waits(struct rd_found *f, const struct rd_record *r) {
    f->wait_count = 0;
    for (uint32_t t = 0; f->finding.kind == RD_DEADLOCK && t < r->out->threads; t++) {
        const struct rd_thread_info *thread = &r->threads[t];
        const struct rd_op *op = &thread->pending;
        bool waits =
            thread->state == RD_T_READY && !thread->enabled && rd_circle_wanted(op->kind, op->place, op->place2);
        if (waits && f->wait_count < RD_CIRCLE_MAX)
            f->waits[f->wait_count++] = op->pc;
    }
    for (uint32_t i = 0; f->finding.kind == RD_PREDICTED_DEADLOCK && i < f->finding.circle_count; i++) {
        uint32_t step = f->finding.circle[i];
        f->waits[f->wait_count++] = step ? r->steps[step - 1].pc : r->threads[f->finding.tid].pending.pc;
    }
    RD_CHECK(f->wait_count <= RD_CIRCLE_MAX);
}

void rd_loop_note_shown(struct rd_loop *l, uint64_t found) {
    struct rd_channel *c = l->channel;
    RD_CHECK(found < c->result.summary.found_count);
    if (l->counted[found] != c->live.sequence && !l->extra)
        c->result.found[found].count++;
    l->counted[found] = c->live.sequence;
}

static bool has_room(const struct rd_channel *c, uint32_t steps) {
    const struct rd_summary *s = &c->result.summary;
    return s->store_used + steps <= c->store_max &&
           s->tracks_used + c->execution.plan.track_count <= RD_TRACKS_STORED;
}

/* Writes a finding that the first `steps` steps of the execution in the channel show. pre: there is room */
static void write_found(struct rd_loop *l, struct rd_found *f, const struct rd_finding *finding, uint32_t steps) {
    struct rd_channel *c = l->channel;
    const struct rd_summary *s = &c->result.summary;
    const struct rd_outcome *o = &c->execution.outcome;
    /* before the program creates a thread no plan has any effect */
    const struct rd_plan none = {0}, *plan = o->started ? &c->execution.plan : &none;
    *f = (struct rd_found){.finding = *finding,
                           .execution = rd_loop_team_number(l),
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
    struct rd_record record = rd_channel_record(c);
    rd_loop_note_waits(f, &record);
    store_steps(c, f);
    store_tracks(c, f);
}

bool rd_loop_is_much_shorter(const struct rd_loop *l, const struct rd_found *f, uint32_t steps) {
    return rd_found_is_too_long(f, steps) && has_room(l->channel, steps);
}

/* The finding is known by a very long schedule: this shorter one takes its place. */
static void replace(struct rd_loop *l, struct rd_found *f, const struct rd_finding *finding, uint32_t steps) {
    struct rd_found before = *f;
    write_found(l, f, finding, steps);
    rd_found_keep_counts(f, &before);
}

/* Keeps a finding that the first `steps` steps of the execution show; one that is known is only counted. */
static void keep_steps(struct rd_loop *l, const struct rd_finding *finding, uint32_t steps) {
    struct rd_channel *c = l->channel;
    struct rd_summary *s = &c->result.summary;
    RD_CHECK(steps <= c->execution.outcome.steps && s->found_count <= RD_FOUND_MAX);
    if (rd_known_findings_suppress(l, finding))
        return;
    uint64_t *known = rd_map_put(&l->findings, l->arena, finding->key);
    bool shorter = *known && rd_loop_is_much_shorter(l, &c->result.found[*known - 1], steps);
    s->findings += !shorter && !rd_is_warning(&c->config, finding);
    if (*known) {
        RD_CHECK(*known <= s->found_count);
        if (shorter)
            replace(l, &c->result.found[*known - 1], finding, steps);
        rd_loop_note_shown(l, *known - 1);
        return;
    }
    if (s->found_count == RD_FOUND_MAX || !has_room(c, steps)) {
        s->unstored++;
        return;
    }
    write_found(l, &c->result.found[s->found_count], finding, steps);
    l->counted[s->found_count] = c->live.sequence;
    *known = ++s->found_count;
}

void rd_loop_keep_finding(struct rd_loop *l, const struct rd_finding *f) {
    /* a finding about a step shows there: the rest of the execution is not part of its schedule */
    keep_steps(l, f, f->step ? f->step : l->channel->execution.outcome.steps);
}

/* Keeps the misuses that the execution noted and went on after. */
static void keep_noted(struct rd_loop *l) {
    const struct rd_outcome *o = &l->channel->execution.outcome;
    RD_CHECK(o->noted_count <= RD_NOTED_MAX);
    for (uint32_t i = 0; i < o->noted_count; i++) {
        struct rd_finding f = rd_noted_finding(&o->noted[i]);
        keep_steps(l, &f, o->noted[i].steps);
    }
}

void rd_loop_keep_reported(struct rd_loop *l) {
    const struct rd_outcome *o = &l->channel->execution.outcome;
    rd_known_findings_count(l);
    if (o->verdict == RD_FOUND) {
        uint64_t before = l->channel->result.summary.findings;
        rd_loop_keep_finding(l, &o->finding);
        l->channel->result.summary.suppressed_ends += before == l->channel->result.summary.findings;
        l->only_inferred = false;
    }
    if (o->verdict != RD_DROPPED)
        keep_noted(l);
}
