/*
 * loop_inferred.c - findings that no execution shows by its verdict: detectors and the search infer them from a
 * record (detect/detect.h, `predict` of struct rd_search_hooks). The loop keeps such a finding at once. It then
 * tries in a few extra executions to run into a predicted deadlock (confirm.h); other extra executions look for
 * livelocks (livelock_probe.h). The search does not see the extra executions, and they are counted apart.
 */
#include "explore/loop.h"

#include "detect/detect.h"
#include "explore/known_findings.h"
#include "explore/outcomes.h"

#include <string.h>

/* The detectors see the loop as what they may not change; the counters of findings are the loop's own. */
static struct rd_loop *loop_of(const void *ctx) { return (struct rd_loop *)(uintptr_t)ctx; }

/* Is there a finding with this key? If so, the record in the channel shows it again. */
static bool is_known(const void *ctx, uint64_t key) {
    struct rd_loop *l = loop_of(ctx);
    const uint64_t *found = rd_map_get(&l->findings, key);
    if (found && *found &&
        rd_loop_is_much_shorter(l, &l->channel->result.found[*found - 1], l->channel->execution.outcome.steps))
        return false; /* the detector shows it once more */
    if (found && *found)
        rd_loop_note_shown(l, *found - 1);
    return found != NULL || l->only_shorter;
}

/* Notes memory of a race that is known from other memory. */
static void note_memory(const void *ctx, uint64_t key, rd_place memory) {
    struct rd_loop *l = loop_of(ctx);
    const uint64_t *at = rd_map_get(&l->findings, key);
    if (!at || !*at || !l->channel->result.found[*at - 1].finding.step)
        return;
    struct rd_found *f = &l->channel->result.found[*at - 1];
    const struct rd_step *step = rd_channel_store(l->channel) + f->store + f->finding.step - 1;
    bool own = memory == f->finding.data || memory == step->place;
    bool noted = f->finding.kind != RD_DATA_RACE || own || f->memory_count == RD_FOUND_MEMORY;
    for (uint32_t i = 0; i < f->memory_count && !noted; i++)
        noted = f->memory[i] == memory;
    if (!noted)
        f->memory[f->memory_count++] = memory;
}

/* Keeps an inferred finding. A predicted deadlock that no other worker has met becomes a suspect. */
static void keep_inferred(struct rd_loop *l, const struct rd_finding *f) {
    const struct rd_record record = rd_channel_record(l->channel);
    rd_loop_keep_finding(l, f);
    RD_CHECK(l->suspect_count <= RD_SUSPECTS_MAX);
    if (f->kind != RD_PREDICTED_DEADLOCK || l->suspect_count == RD_SUSPECTS_MAX ||
        !rd_loop_team_is_first(l, f->key))
        return;
    struct rd_suspect *s = &l->suspect[l->suspect_count];
    s->key = f->key;
    l->suspect_count += rd_confirm_circle(f, &record, l->arena, &s->circle);
}

/* Has the search found a race only by a very long schedule, of which a shorter one may take the place? */
static bool has_long_race(const struct rd_loop *l) {
    const struct rd_channel *c = l->channel;
    for (uint32_t i = 0; i < c->result.summary.found_count; i++)
        if (c->result.found[i].finding.kind == RD_DATA_RACE &&
            rd_loop_is_much_shorter(l, &c->result.found[i], c->execution.outcome.steps))
            return true;
    return false;
}

static bool has_race(const struct rd_channel *c) {
    for (uint32_t i = 0; i < c->result.summary.found_count; i++)
        if (c->result.found[i].finding.kind == RD_DATA_RACE)
            return true;
    return false;
}

/*
 * Runs the detectors over the record. Their findings are equal in all executions of a class (trace/event.h), so the
 * caller passes only the first execution of each class. If a finding is about to end the search, only a data race
 * in the execution that failed is of interest, and only the first race: it may be the cause of the failure; and a
 * shorter schedule for a race that is known by a very long one.
 */
static void detect(struct rd_loop *l) {
    struct rd_channel *c = l->channel;
    struct rd_record record = rd_channel_record(c);
    struct rd_known known = {is_known, l, note_memory};
    bool last = c->result.summary.findings && !c->config.keep_going;
    l->only_shorter = last && has_long_race(l);
    if (last && !l->only_shorter && (c->execution.outcome.verdict != RD_FOUND || has_race(c)))
        return;
    for (uint32_t i = 0; i < RD_DETECTORS; i++) {
        struct rd_finding f;
        bool found = rd_detector_is_on(c->config.detect, i) && (!last || rd_detectors[i].with_last);
        while (found) {
            found = rd_detect_run(i, l->arena, &record, &known, &f);
            if (!found || rd_known_findings_suppress(l, &f))
                continue;
            keep_inferred(l, &f);
            found = c->config.keep_going || rd_is_warning(&c->config, &f);
        }
    }
}

/* Asks the search for findings that it infers from an execution which did not fail. */
static void predict(struct rd_loop *l) {
    struct rd_record record = rd_channel_record(l->channel);
    struct rd_finding f;
    RD_CHECK(l->turn == RD_TURN_FED);
    while (l->search->hooks.predict &&
           (l->channel->execution.outcome.verdict != RD_FOUND || l->channel->config.keep_going) &&
           l->search->hooks.predict(l->state, &record, &f))
        if (!is_known(l, f.key) && !rd_known_findings_suppress(l, &f))
            keep_inferred(l, &f);
}

/* Notes when the first findings came, if they were inferred from an execution that did not fail. */
static void note_only_inferred(struct rd_loop *l, uint64_t findings_before) {
    const struct rd_summary *s = &l->channel->result.summary;
    if (findings_before || !s->findings || l->channel->execution.outcome.verdict == RD_FOUND)
        return;
    l->only_inferred = true;
    l->inferred_executions = s->executions;
    l->inferred_ns = s->elapsed_ns;
}

void rd_loop_infer(struct rd_loop *l, bool new_class, uint64_t findings_before) {
    RD_CHECK(findings_before <= l->channel->result.summary.findings);
    /* the program says that an execution which was dropped cannot happen */
    bool dropped = l->channel->execution.outcome.verdict == RD_DROPPED;
    bool certain = !dropped && !rd_loop_sharing_hides_order(l);
    if (new_class && certain)
        detect(l);
    if (certain)
        predict(l);
    note_only_inferred(l, findings_before);
}

/* ---- extra executions ---- */

/* Runs the plan in the channel as an extra execution, adds it to `count`, and keeps the finding that it shows. */
static void run_extra(struct rd_loop *l, uint64_t *count) {
    struct rd_channel *c = l->channel;
    /* the search has read the record that this execution overwrites */
    RD_CHECK(l->turn == RD_TURN_FED);
    __atomic_add_fetch(&c->live.sequence, 1, __ATOMIC_RELAXED);
    l->env.run(l->env.ctx);
    ++*count;
    if (c->execution.outcome.verdict == RD_FOUND) {
        l->extra = true;
        rd_loop_keep_finding(l, &c->execution.outcome.finding);
        l->extra = false;
        rd_outcomes_note_extra(c);
        l->only_inferred = false;
    }
}

void rd_loop_run_and_detect(struct rd_loop *l, uint64_t *count) {
    struct rd_channel *c = l->channel;
    uint64_t findings_before = c->result.summary.findings;
    __atomic_add_fetch(&c->live.sequence, 1, __ATOMIC_RELAXED);
    l->env.run(l->env.ctx);
    ++*count;
    unsigned verdict = c->execution.outcome.verdict;
    if (verdict == RD_REFUSED || verdict == RD_DIVERGED || verdict == RD_GIVEN_UP || verdict == RD_DROPPED)
        return;
    l->extra = true;
    rd_loop_keep_reported(l);
    if (verdict == RD_FOUND)
        rd_outcomes_note_extra(c);
    detect(l);
    l->extra = false;
    note_only_inferred(l, findings_before);
}

void rd_loop_probe_livelock(struct rd_loop *l) {
    struct rd_channel *c = l->channel;
    if (!c->config.detect) /* `--detect none`: the search runs its own executions only, in its own order */
        return;
    while (!c->live.stop && rd_livelock_probe_next(&l->probe, l->arena, c))
        run_extra(l, &c->result.summary.probes);
}

/* Tries to run into one predicted deadlock. Marks its finding as confirmed if an execution ends in it. */
static void confirm(struct rd_loop *l, const struct rd_suspect *suspect) {
    struct rd_channel *c = l->channel;
    uint64_t found = *rd_map_get(&l->findings, suspect->key); /* index + 1; 0: there was no room for it */
    RD_CHECK(found <= RD_FOUND_MAX);
    for (uint32_t i = 0; i < RD_CONFIRM_TRIES; i++) {
        rd_confirm_plan(c, &suspect->circle, i);
        run_extra(l, &c->result.summary.confirming);
        bool shows = rd_confirm_shows(c, &suspect->circle);
        if (shows && found)
            c->result.found[found - 1].confirmed = 1;
        if (shows || c->live.stop || c->execution.outcome.verdict == RD_REFUSED ||
            (c->execution.outcome.verdict == RD_FOUND && !c->config.keep_going))
            return;
    }
}

void rd_loop_confirm_suspects(struct rd_loop *l) {
    RD_CHECK(l->suspect_count <= RD_SUSPECTS_MAX);
    for (uint32_t i = 0; i < l->suspect_count; i++)
        confirm(l, &l->suspect[i]);
    l->suspect_count = 0;
}
