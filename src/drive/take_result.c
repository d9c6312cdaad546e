/*
 * take_result.c - see take_result.h. The channel is copied first, and only the copy is checked: a process that the
 * program has started may still write into the channel. Counts are cut to the sizes of their arrays before the
 * arrays are copied.
 */
#include "drive/take_result.h"

#include <stdlib.h>
#include <string.h>

static void *allocate(uint64_t count, size_t each) {
    void *to = calloc(count, each);
    if (!to)
        abort();
    return to;
}

static void *copy(const void *from, uint64_t count, size_t each) {
    void *to = allocate(count + 1, each); /* at least one item: readers look at the first module and thread */
    if (count)
        memcpy(to, from, count * each);
    return to;
}

#define COPY(from, count) copy(from, count, sizeof *(from))

/* Cuts `n` to `limit`. *cut becomes true if that was necessary. */
static uint64_t clamp_count(uint64_t n, uint64_t limit, bool *cut) {
    *cut |= n > limit;
    return RD_MIN(n, limit);
}

static void take_search(struct rd_run_result *to, struct rd_channel *c, bool *cut) {
    struct rd_summary *s = &to->summary;
    *s = c->result.summary;
    *cut |= !rd_summary_clamp(s);
    s->found_count = (uint32_t)clamp_count(s->found_count, RD_FOUND_MAX, cut);
    s->store_used = clamp_count(s->store_used, c->store_max, cut);
    s->tracks_used = (uint32_t)clamp_count(s->tracks_used, RD_TRACKS_STORED, cut);
    s->ending_count = (uint32_t)clamp_count(s->ending_count, c->endings_at ? RD_ENDINGS_MAX : 0, cut);
    s->texts_used = clamp_count(s->texts_used, c->texts_at ? RD_TEXTS_MAX : 0, cut);
    s->coverage.sample_count = (uint32_t)clamp_count(s->coverage.sample_count, c->samples_max, cut);
    s->coverage.order_count = (uint32_t)clamp_count(s->coverage.order_count, c->orders_max, cut);
    to->found = COPY(c->result.found, s->found_count);
    to->early_failure = c->result.early_failure;
    to->store = COPY(rd_channel_store(c), s->store_used);
    to->tracks = COPY(rd_channel_track_store(c), s->tracks_used);
    to->endings = COPY(rd_channel_endings(c), s->ending_count);
    to->texts = COPY(rd_channel_texts(c), s->texts_used);
    to->samples = COPY(rd_channel_samples(c), s->coverage.sample_count);
    to->orders = COPY(rd_channel_orders(c), s->coverage.order_count);
}

static void take_profile(struct rd_run_result *to, struct rd_channel *c, bool *cut) {
    const struct rd_profile *p = rd_channel_profile(c);
    to->profile = allocate(1, sizeof *to->profile);
    bool sound = rd_profile_is_sound(p); /* so that the copy keeps within its tables */
    if (sound)
        rd_profile_copy(to->profile, p);
    if (!sound || !rd_profile_is_sound(to->profile)) {
        *to->profile = (struct rd_profile){0};
        *cut = true;
    }
}

static void take_program(struct rd_run_result *to, const struct rd_execution *e, bool *cut) {
    to->module_count = (uint32_t)clamp_count(e->module_count, RD_MODULES_MAX, cut);
    to->modules = COPY(e->modules, to->module_count);
    to->path_count = (uint32_t)clamp_count(e->path_count, RD_TID_MAX, cut);
    to->paths = COPY(e->paths, to->path_count);
    to->calls_unseen = e->calls_unseen != 0;
}

static void take_execution(struct rd_run_result *to, struct rd_channel *c, bool *cut) {
    const struct rd_execution *e = &c->execution;
    struct rd_record from = rd_channel_record(c), *r = &to->record;
    to->plan = e->plan;
    to->plan.track_count = (uint32_t)clamp_count(to->plan.track_count, RD_TRACKS_MAX, cut);
    to->sharing = e->sharing;
    to->outcome = e->outcome;
    to->outcome.steps = (uint32_t)clamp_count(to->outcome.steps, c->steps_max, cut);
    to->outcome.cands = (uint32_t)clamp_count(to->outcome.cands, c->cands_max, cut);
    to->outcome.parts = (uint32_t)clamp_count(to->outcome.parts, RD_STACK_PARTS_MAX, cut);
    to->outcome.blocks = (uint32_t)clamp_count(to->outcome.blocks, RD_USED_BLOCKS_MAX, cut);
    to->flushed_from = e->flushed_from;
    to->running = c->live.running;
    to->stuck = c->live.stuck;
    to->annotation_count = (uint32_t)clamp_count(e->annotation_count, RD_ANNOTATIONS_MAX, cut);
    to->annotations = COPY(e->annotations, to->annotation_count);
    *r = (struct rd_record){.steps = COPY(from.steps, to->outcome.steps),
                            .cands = COPY(from.cands, to->outcome.cands),
                            .threads = COPY(from.threads, RD_TID_MAX),
                            .track = COPY(from.track, to->plan.track_count),
                            .steps_max = to->outcome.steps,
                            .cands_max = to->outcome.cands,
                            .inline_atomics = to->config.inline_atomics};
    if (from.step_stacks)
        r->step_stacks = COPY(from.step_stacks, to->outcome.steps);
    if (from.stacks)
        r->stacks = COPY(from.stacks, RD_TID_MAX);
    if (from.parts)
        r->parts = COPY(from.parts, to->outcome.parts);
    if (from.blocks)
        r->blocks = COPY(from.blocks, to->outcome.blocks);
}

/* Removes the findings that are not sound. The others need no other part of the result but the program's tables. */
static void keep_sound_findings(struct rd_run_result *r) {
    struct rd_summary *s = &r->summary;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->found_count; i++)
        if (rd_run_result_has_sound(r, &r->found[i]))
            r->found[kept++] = r->found[i];
    s->found_count = kept;
}

const char *rd_run_result_take(struct rd_run_result *to, const struct rd_worker *w) {
    struct rd_channel *c = w->channel;
    bool cut = !rd_channel_is_sound(c);
    if (!rd_worker_is_whole(w)) {
        *to = rd_run_result_empty(&w->config);
        return "the layout of the shared memory";
    }
    *to = (struct rd_run_result){
        .config = c->config, .attached = c->live.attached != 0, .explored = c->live.explorer_pid != 0};
    take_search(to, c, &cut);
    take_profile(to, c, &cut);
    take_program(to, &c->execution, &cut);
    take_execution(to, c, &cut);
    const char *wrong = rd_run_result_check(to);
    if (!wrong && cut)
        wrong = "a count";
    if (wrong)
        keep_sound_findings(to);
    return wrong;
}

struct rd_run_result rd_run_result_empty(const struct rd_config *config) {
    struct rd_run_result r = {.config = *config, .path_count = 1};
    r.found = allocate(1, sizeof *r.found);
    r.store = allocate(1, sizeof *r.store);
    r.tracks = allocate(1, sizeof *r.tracks);
    r.modules = allocate(1, sizeof *r.modules);
    r.paths = allocate(1, sizeof *r.paths);
    r.record.threads = allocate(RD_TID_MAX, sizeof *r.record.threads);
    r.record.track = allocate(1, sizeof *r.record.track);
    r.summary.claim = rd_claim_none();
    return r;
}

void rd_run_result_free(struct rd_run_result *r) {
    void *const blocks[] = {r->found,
                            r->store,
                            r->tracks,
                            r->endings,
                            r->texts,
                            r->samples,
                            r->orders,
                            r->profile,
                            r->modules,
                            r->paths,
                            r->annotations,
                            r->record.steps,
                            r->record.cands,
                            r->record.threads,
                            (void *)(uintptr_t)r->record.track,
                            r->record.step_stacks,
                            r->record.stacks,
                            r->record.parts,
                            r->record.blocks,
                            r->shared};
    for (unsigned i = 0; i < RD_COUNT(blocks); i++)
        free(blocks[i]);
    *r = (struct rd_run_result){0};
}
