/* confirm.c - see confirm.h. */
#include "explore/confirm.h"

#include "pick/close_cycle.h"
#include "trace/held.h"

static rd_place lock_of(const struct rd_step *s) { return rd_circle_wanted(s->op, s->place, s->value); }

/* Counts how often the thread has taken the lock at this place in the code before step `end`. */
static uint32_t taken_before(const struct rd_record *r, rd_tid tid, rd_place lock, rd_place pc, uint32_t end) {
    uint32_t n = 0;
    RD_CHECK(end <= r->out->steps && (!end || r->steps));
    for (uint32_t i = 0; i < end; i++)
        n += r->steps[i].tid == tid && r->steps[i].pc == pc && lock_of(&r->steps[i]) == lock;
    return n;
}

static struct rd_taking wanted(const struct rd_finding *f, const struct rd_record *r, uint32_t step, rd_tid *tid) {
    const struct rd_op *op = &r->threads[f->tid].pending;
    RD_CHECK(step <= r->out->steps);
    const struct rd_step *s = step ? &r->steps[step - 1] : NULL;
    *tid = s ? s->tid : f->tid;
    struct rd_taking t = {.lock = s ? lock_of(s) : rd_circle_wanted(op->kind, op->place, op->place2),
                          .pc = s ? s->pc : op->pc};
    t.before = taken_before(r, *tid, t.lock, t.pc, s ? step - 1 : r->out->steps);
    return t;
}

static bool is_wanted_by_another(const struct rd_circle *c, uint32_t i, rd_place lock) {
    for (uint32_t k = 0; k < c->count; k++)
        if (k != i && c->at[k].wants.lock == lock)
            return true;
    return false;
}

/* Finds the first lock that thread i of the circle holds at this step, and another one of the circle wants. */
static void find_held(struct rd_circle *c, uint32_t i, const struct rd_held *h, const struct rd_record *r) {
    const struct rd_held_thread *t = &h->thread[c->at[i].tid];
    for (uint32_t k = 0; k < t->count; k++) {
        const struct rd_hold *hold = &t->at[k];
        if (!is_wanted_by_another(c, i, hold->lock) || !hold->taken)
            continue;
        RD_CHECK(hold->taken <= r->out->steps);
        c->at[i].holds = (struct rd_taking){.lock = hold->lock, .pc = hold->pc};
        c->at[i].holds.before = taken_before(r, c->at[i].tid, hold->lock, hold->pc, hold->taken - 1);
        return;
    }
}

bool rd_confirm_circle(const struct rd_finding *f, const struct rd_record *r, struct rd_arena *a,
                       struct rd_circle *c) {
    RD_CHECK(f->circle_count <= RD_CIRCLE_MAX);
    *c = (struct rd_circle){.count = f->circle_count};
    for (uint32_t i = 0; i < c->count; i++) {
        c->at[i].wants = wanted(f, r, f->circle[i], &c->at[i].tid);
        if (!c->at[i].wants.lock)
            return false;
    }
    size_t mark = a->used;
    struct rd_held held;
    rd_held_init(&held, a, r);
    for (uint32_t step = 0; step <= r->out->steps; step++) {
        for (uint32_t i = 0; i < c->count; i++)
            if (step == (f->circle[i] ? f->circle[i] - 1 : r->out->steps) && c->at[i].tid < held.threads)
                find_held(c, i, &held, r);
        if (step < r->out->steps)
            rd_held_step(&held, &r->steps[step], step);
    }
    a->used = mark;
    return c->count > 0;
}

static struct rd_choice guide(rd_tid tid, const struct rd_taking *t, enum rd_cycle_part part) {
    return (struct rd_choice){.pick = tid, .place = t->lock, .pc = t->pc, .fp = t->before, .op = (uint8_t)part};
}

void rd_confirm_plan(struct rd_channel *c, const struct rd_circle *circle, uint32_t attempt) {
    struct rd_choice *to = rd_channel_prefix(c);
    uint32_t n = 0;
    bool profile = c->execution.plan.access_points == RD_ACCESSES_PROFILE;
    RD_CHECK(circle->count > 0 && circle->count <= RD_CIRCLE_MAX && attempt < RD_CONFIRM_TRIES);
    RD_CHECK(2 * circle->count <= c->prefix_max);
    for (uint32_t i = 0; i < circle->count; i++) {
        to[n++] = guide(circle->at[i].tid, &circle->at[i].wants, RD_CYCLE_WANTS);
        if (circle->at[i].holds.lock)
            to[n++] = guide(circle->at[i].tid, &circle->at[i].holds, RD_CYCLE_HOLDS);
    }
    c->execution.plan = (struct rd_plan){.picker = RD_PICK_CIRCLE,
                                         .seed = attempt,
                                         .a = n,
                                         .ask_always = 1,
                                         .access_points = rd_accesses_again(c->execution.plan.access_points),
                                         .track_count = profile ? 0 : c->execution.plan.track_count};
}

bool rd_confirm_shows(struct rd_channel *c, const struct rd_circle *circle) {
    const struct rd_record r = rd_channel_record(c);
    if (c->execution.outcome.verdict != RD_FOUND || c->execution.outcome.finding.kind != RD_DEADLOCK)
        return false;
    for (uint32_t i = 0; i < circle->count; i++) {
        const struct rd_thread_info *t = &r.threads[circle->at[i].tid];
        const struct rd_taking *wants = &circle->at[i].wants;
        rd_place lock = rd_circle_wanted(t->pending.kind, t->pending.place, t->pending.place2);
        if (t->state != RD_T_READY || t->enabled || lock != wants->lock || t->pending.pc != wants->pc)
            return false;
    }
    return true;
}
