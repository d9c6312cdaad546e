/*
 * deep_checkpoint.c - see deep_checkpoint.h. Checkpoints are made half way between the last one and the end that
 * the execution is expected to have, then half way from there, and so on: a search that goes back from the end uses
 * the deepest one for long, and when it has gone back beyond that, the one before it is not far.
 *
 * The state of an execution is kept only while the execution has changed memory alone: no longer once it has, for
 * example, opened a file.
 */
#include "rt/isolate/deep_checkpoint.h"

#include "rt/isolate/snapshot.h"
#include "rt/state.h"

#include <string.h>

/*
 * Which distance between checkpoints pays depends on the program and on the search. So several are tried in turn,
 * and no checkpoints at all; the best is used for a while. The measure is the number of steps that are run, plus a
 * price in steps for each checkpoint, which stands for the measured time that its making and dropping take. No
 * clock is asked, so that a search does the same in every process.
 */
static const uint8_t distances[] = {8, 12, 20,
                                    32}; /* at most twice so many steps are run again without a checkpoint */
enum {
    WAYS = RD_COUNT(distances),
    TRIAL = 64,       /* executions with each distance */
    STAY = 4096,      /* executions with the best of them */
    PRICE = 8,        /* steps that a checkpoint costs … */
    PAGES_A_STEP = 2, /* … and one more for so many of its pages */
};

/* Bytes at the beginning of an outcome that are in use while the execution has no finding. */
enum { WITHOUT_FINDING = offsetof(struct rd_outcome, finding) };

static struct rd_deeps *deeps(void) { return &rd_kept()->deeps; }

/* Drops the checkpoints from number `from` on. */
static void drop(struct rd_deeps *d, uint32_t from) {
    for (; d->count > from; d->count--)
        rd_pages_forget(&d->at[d->count - 1].pages);
}

void rd_deep_checkpoint_forget(void) { drop(deeps(), 0); }

/* Returns whether the last execution's steps from `from` to `to`, in the record, are the choices of the plan's
 * prefix. */
static bool fits(struct rd_channel *c, uint32_t from, uint32_t to) {
    const struct rd_step *s = rd_channel_record(c).steps;
    const struct rd_choice *p = rd_channel_prefix(c);
    for (uint32_t i = from; i < to; i++) {
        bool value = rd_op_flags(s[i].op) & RD_F_VALUE;
        if (p[i].fp != s[i].fp || p[i].pick != (value ? (uint16_t)s[i].value : s[i].tid))
            return false;
    }
    return true;
}

/* Returns whether an execution with this plan depends, up to any step of its prefix, only on the prefix up to
 * there. */
static bool usable(const struct rd_channel *c) {
    const struct rd_plan *p = &c->execution.plan;
    bool forgets = p->picker == RD_PICK_STAY || p->picker == RD_PICK_FIRST;
    return forgets && !p->sparse && p->access_points == RD_ACCESSES_ALL && !p->strict && !c->config.separate &&
           !c->config.focus;
}

/* Returns the step after which an execution that goes on from step `from` is to be kept; 0: never. */
static uint32_t next_save(const struct rd_deeps *d, uint32_t from) {
    if (d->way == WAYS || d->count == RD_DEEP_CHECKPOINT_MAX || d->length < from + 2u * distances[d->way])
        return 0;
    return from + (d->length - from) / 2;
}

const struct rd_deep_checkpoint *rd_deep_checkpoint_choose(void) {
    struct rd_channel *c = rd_rt.channel;
    struct rd_deeps *d = deeps();
    /* after a restore that finds the hot pages out anew, no page set is valid */
    bool use = usable(c) && !rd_pages_stale(), same = d->yields == c->execution.plan.yields;
    uint32_t fit = 0, from = 0,
             fixed = c->execution.plan.soft ? c->execution.plan.soft : c->execution.plan.prefix_count;
    d->yields = c->execution.plan.yields;
    if (use && same)
        while (fit < d->count && d->at[fit].steps < fixed && fits(c, from, d->at[fit].steps))
            from = d->at[fit++].steps;
    drop(d, fit);
    RD_ASSERT(d->count == fit);
    d->save_at = use ? next_save(d, fit ? d->at[fit - 1].steps : 0) : 0;
    d->from = fit ? d->at[fit - 1].steps : 0;
    c->result.summary.spared += d->from;
    return fit ? &d->at[fit - 1] : NULL;
}

void rd_deep_checkpoint_after(void) {
    struct rd_deeps *d = deeps();
    RD_CHECK(!rd_kept()->running);
    d->length = rd_rt.channel->execution.outcome.steps;
    d->whole += d->length;
    d->cost += d->length - d->from;
    if (++d->tried < (d->settled ? STAY : TRIAL))
        return;
    if (d->settled) {
        d->settled = d->way = 0;
    } else {
        if (d->way == 0) { /* the first to beat is an execution without checkpoints, whose cost is all its steps */
            d->best = WAYS;
            d->best_cost = d->best_whole = 1;
        }
        if (d->cost * d->best_whole < d->best_cost * d->whole) {
            d->best = d->way;
            d->best_cost = d->cost;
            d->best_whole = d->whole;
        }
        d->settled = ++d->way == WAYS;
        d->way = d->settled ? d->best : d->way;
    }
    d->tried = 0;
    d->cost = d->whole = 0;
}

const struct rd_deep_checkpoint *rd_deep_checkpoint_last(void) {
    const struct rd_deeps *d = deeps();
    return d->count ? &d->at[d->count - 1] : NULL;
}

void rd_deep_checkpoint_outcome(const struct rd_deep_checkpoint *from) {
    struct rd_channel *c = rd_rt.channel;
    memcpy(&c->execution.outcome, &from->outcome, WITHOUT_FINDING);
    c->execution.annotation_count = from->annotations;
    c->execution.observed_count = from->observed;
    c->live.running = from->running;
    memcpy(rd_channel_record(c).threads, from->threads, from->paths * sizeof *from->threads);
}

void *rd_deep_checkpoint_keep(void *sp) {
    struct rd_channel *c = rd_rt.channel;
    struct rd_deeps *d = deeps();
    RD_ASSERT(d->count < RD_DEEP_CHECKPOINT_MAX);
    RD_ASSERT(d->count == 0 || d->at[d->count - 1].steps < c->execution.outcome.steps);
    RD_ASSERT(c->live.running < RD_TID_MAX && rd_rt.threads[c->live.running]);
    struct rd_deep_checkpoint *at = &d->at[d->count++];
    rd_pages_keep(&at->pages);
    at->sp = sp;
    at->tp = rd_rt.threads[c->live.running]->tp;
    at->steps = c->execution.outcome.steps;
    at->annotations = c->execution.annotation_count;
    at->observed = c->execution.observed_count;
    at->paths = c->execution.path_count;
    at->running = c->live.running;
    memcpy(&at->outcome, &c->execution.outcome, WITHOUT_FINDING);
    if (!at->threads)
        at->threads = rd_arena_alloc(&rd_kept()->arena, RD_TID_MAX * sizeof *at->threads);
    memcpy(at->threads, rd_channel_record(c).threads, c->execution.path_count * sizeof *at->threads);
    d->cost += PRICE + at->pages.count / PAGES_A_STEP;
    c->result.summary.checkpoints++;
    d->save_at = next_save(d, at->steps);
    return at->tp;
}

void rd_deep_checkpoint_step(void) {
    struct rd_kept *k = rd_kept();
    struct rd_deeps *d = &k->deeps;
    if (RD_LIKELY(!d->save_at || rd_rt.engine.rec.out->steps < d->save_at))
        return;
    d->save_at = 0;
    if (k->called_ever || rd_rt.engine.rec.out->verdict != RD_RUNNING)
        return; /* the execution may have changed state of the kernel, which a deep checkpoint does not contain */
    d->resumed = 0;
    rd_snapshot_pause();
    if (d->resumed) /* another execution goes on from here, with another plan */
        rd_engine_resume(&rd_rt.engine, &rd_rt.channel->execution.plan);
}
