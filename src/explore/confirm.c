/* confirm.c - see confirm.h. */
#include "explore/confirm.h"

#include "pick/pick.h"
#include "trace/held.h"

bool rd_confirm_circle(const struct rd_finding *f, const struct rd_record *r, struct rd_circle *c) {
    RD_CHECK(f->circle_count <= RD_CIRCLE_MAX);
    *c = (struct rd_circle){.count = f->circle_count};
    for (uint32_t i = 0; i < c->count; i++) {
        RD_CHECK(f->circle[i] <= r->out->steps);
        const struct rd_step *s = f->circle[i] ? &r->steps[f->circle[i] - 1] : NULL;
        const struct rd_op *op = &r->threads[f->tid].pending;
        c->at[i].tid = s ? s->tid : f->tid;
        c->at[i].pc = s ? s->pc : op->pc;
        c->at[i].lock =
            s ? rd_circle_wanted(s->op, s->place, s->value) : rd_circle_wanted(op->kind, op->place, op->place2);
        if (!c->at[i].lock)
            return false;
    }
    return c->count > 0;
}

void rd_confirm_plan(struct rd_channel *c, const struct rd_circle *circle, uint32_t attempt) {
    struct rd_weight *weight = rd_channel_weight(c);
    uint32_t threads = 0;
    for (uint32_t i = 0; i < circle->count; i++)
        threads = RD_MAX(threads, circle->at[i].tid + 1u);
    RD_CHECK(circle->count > 0 && threads <= RD_TID_MAX && attempt < RD_CONFIRM_TRIES);
    for (uint32_t t = 0; t < threads; t++)
        weight[t] = (struct rd_weight){0};
    for (uint32_t i = 0; i < circle->count; i++)
        weight[circle->at[i].tid].steps = rd_circle_mark(circle->at[i].lock, circle->at[i].pc);
    bool profile = c->execution.plan.access_points == RD_ACCESSES_PROFILE;
    c->execution.plan = (struct rd_plan){.picker = RD_PICK_CIRCLE,
                                         .seed = attempt,
                                         .a = threads,
                                         .access_points = rd_accesses_again(c->execution.plan.access_points),
                                         .track_count = profile ? 0 : c->execution.plan.track_count};
}

bool rd_confirm_shows(struct rd_channel *c, const struct rd_circle *circle) {
    const struct rd_record r = rd_channel_record(c);
    if (c->execution.outcome.verdict != RD_FOUND || c->execution.outcome.finding.kind != RD_DEADLOCK)
        return false;
    for (uint32_t i = 0; i < circle->count; i++) {
        const struct rd_thread_info *t = &r.threads[circle->at[i].tid];
        rd_place lock = rd_circle_wanted(t->pending.kind, t->pending.place, t->pending.place2);
        if (t->state != RD_T_READY || t->enabled || lock != circle->at[i].lock || t->pending.pc != circle->at[i].pc)
            return false;
    }
    return true;
}
