/* merge.c - the results of several workers as one: see team.h. */
#include "base/text.h"
#include "drive/worker_team.h"

#include <string.h>

static void add_counts(struct rd_summary *to, const struct rd_summary *from) {
    to->executions += from->executions;
    to->steps += from->steps;
    to->points += from->points;
    to->findings += from->findings;
    to->confirming += from->confirming;
    to->minimising += from->minimising;
    to->probes += from->probes;
    to->repeated += from->repeated;
    to->pages += from->pages;
    to->run_ns += from->run_ns;
    to->restore_ns += from->restore_ns;
    to->spared += from->spared;
    to->checkpoints += from->checkpoints;
    to->fair_tails += from->fair_tails;
    to->fairness += from->fairness;
    to->dropped += from->dropped;
    to->atomic += from->atomic;
    to->cut += from->cut;
    to->suppressed += from->suppressed;
    to->unstored += from->unstored;
    to->children += from->children;
    to->waited_outside += from->waited_outside;
    to->hangs += from->hangs;
    to->limited += from->limited;
    to->recalled |= from->recalled;
    to->selective += from->selective;
    to->selective_checked += from->selective_checked;
    to->unwatched += from->unwatched;
    to->sites_missed += from->sites_missed;
    to->sites_unrepaired += from->sites_unrepaired;
    to->memory += from->memory;
    to->idle_ns += from->idle_ns;
    for (uint32_t i = 0; i < RD_PREEMPTION_COUNTS; i++)
        to->preemptions[i] += from->preemptions[i];
}

/* What ended it counts in this order: a finding, trouble, nothing left, no memory, the budget. */
static int rank(uint32_t end) {
    static const uint8_t order[] = {
        [RD_END_FOUND] = 7,  [RD_END_TROUBLE] = 6, [RD_END_COMPLETE] = 5, [RD_END_MEMORY] = 4,
        [RD_END_BUDGET] = 3, [RD_END_STOPPED] = 2, [RD_END_NO_FORK] = 1};
    return end < RD_COUNT(order) ? order[end] : 0;
}

static void add_opaque(struct rd_summary *to, const struct rd_opaque *x) {
    uint32_t i = 0;
    while (i < to->opaque_count && to->opaque[i].function != x->function)
        i++;
    if (i == RD_OPAQUE_MAX) {
        to->opaque_others += x->calls;
        return;
    }
    if (i == to->opaque_count)
        to->opaque[to->opaque_count++] = (struct rd_opaque){x->function, 0};
    to->opaque[i].calls += x->calls;
}

void rd_merge_summary(struct rd_summary *to, const struct rd_summary *from) {
    add_counts(to, from);
    for (uint32_t i = 0; i < RD_MIN(from->opaque_count, (uint32_t)RD_OPAQUE_MAX); i++)
        add_opaque(to, &from->opaque[i]);
    to->opaque_others += from->opaque_others;
    to->sites_off = RD_MAX(to->sites_off, from->sites_off);
    to->sites_fixed = RD_MAX(to->sites_fixed, from->sites_fixed);
    to->threads_max = RD_MAX(to->threads_max, from->threads_max);
    to->steps_high = RD_MAX(to->steps_high, from->steps_high);
    to->preemptions_max = RD_MAX(to->preemptions_max, from->preemptions_max);
    to->elapsed_ns = RD_MAX(to->elapsed_ns, from->elapsed_ns);
    to->minimise_ns = RD_MAX(to->minimise_ns, from->minimise_ns);
    to->played |= from->played;
    to->focused |= from->focused;
    to->unseen |= from->unseen;
    to->broken |= from->broken;
    if (!to->no_snapshot[0])
        rd_text_copy(to->no_snapshot, sizeof to->no_snapshot, from->no_snapshot);
    if (from->cpu_ns_min && (!to->cpu_ns_min || from->cpu_ns_min < to->cpu_ns_min))
        to->cpu_ns_min = from->cpu_ns_min;
    if (rank(from->end) <= rank(to->end))
        return;
    to->end = from->end;
    to->trouble = from->trouble;
    to->unseen_pc = from->unseen_pc;
    to->divergence = from->divergence;
    to->divergence_execution = from->divergence_execution;
    rd_text_copy(to->message, sizeof to->message, from->message);
}

static struct rd_found *same(struct rd_channel *c, uint64_t key) {
    for (uint32_t i = 0; i < c->result.summary.found_count; i++)
        if (c->result.found[i].finding.key == key)
            return &c->result.found[i];
    return NULL;
}

static void copy_finding(struct rd_channel *to, struct rd_channel *from, const struct rd_found *f) {
    struct rd_summary *s = &to->result.summary;
    if (s->found_count == RD_FOUND_MAX || s->store_used + f->steps > to->store_max ||
        s->tracks_used + f->track_count > RD_TRACKS_STORED) {
        s->unstored++;
        return;
    }
    struct rd_found *copy = &to->result.found[s->found_count++];
    *copy = *f;
    copy->store = s->store_used;
    copy->track = s->tracks_used;
    memcpy(rd_channel_store(to) + copy->store, rd_channel_store(from) + f->store,
           f->steps * sizeof(struct rd_step));
    memcpy(rd_channel_track_store(to) + copy->track, rd_channel_track_store(from) + f->track,
           f->track_count * sizeof(struct rd_track));
    s->store_used += f->steps;
    s->tracks_used += f->track_count;
}

void rd_merge_finding(struct rd_channel *to, struct rd_channel *from, const struct rd_found *f) {
    struct rd_found *known = same(to, f->finding.key);
    if (!known) {
        copy_finding(to, from, f);
        return;
    }
    known->count += f->count;
    known->confirmed |= f->confirmed;
}

/* The shorter table is a beginning of the longer one. */
void rd_merge_paths(struct rd_channel *to, const struct rd_channel *from) {
    if (from->execution.path_count <= to->execution.path_count)
        return;
    memcpy(to->execution.paths, from->execution.paths, from->execution.path_count * sizeof *from->execution.paths);
    to->execution.path_count = from->execution.path_count;
}

void rd_merge_findings(struct rd_channel *to, struct rd_channel *from) {
    for (uint32_t i = 0; i < from->result.summary.found_count; i++)
        rd_merge_finding(to, from, &from->result.found[i]);
    rd_merge_paths(to, from);
}
