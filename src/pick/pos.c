/*
 * pos.c - partial-order sampling (Yuan, Yang and Gu, "Partial order aware concurrency sampling", CAV 2018). Every
 * pending operation has a random priority, and the one with the highest is performed. Then the operations whose
 * order with it matters get a new priority: the next operation of the same thread, and the pending ones that depend
 * on it. So the sampler does not distinguish orders of independent operations.
 *
 * A thread that was not enabled at the point before has been enabled by an operation that its own depends on, so a
 * new candidate has a new priority. The plan must ask always: every operation counts.
 *
 * A point reads a few words of every candidate: the sign of its pending operation (trace/event.h) and its priority.
 * Both belong to the pending operation and stay the same until it is performed. The state of a thread is written
 * when it is first seen.
 */
#include "base/bitset.h"
#include "base/rng.h"
#include "pick/pick.h"
#include "trace/event.h"

#include <string.h>

struct pos {
    struct rd_rng rng;
    uint64_t seed;
    uint32_t asked, step; /* `asked`: calls so far; `step`: the step of the last call */
    struct rd_event last; /* the event that it chose */
    struct rd_event_sign last_sign;
    struct rd_bits seen; /* the candidates of that call */
    struct {
        struct rd_event_sign sign;
        uint64_t priority;
    } of[RD_TID_MAX]; /* of the pending operation of a candidate */
};

static_assert(sizeof(struct pos) <= RD_PICKER_STATE, "fits");

static void begin(void *state, const struct rd_plan *plan) {
    struct pos *p = state;
    RD_CHECK(plan->ask_always);
    memset(p, 0, offsetof(struct pos, of));
    p->seed = rd_mix(plan->seed);
    rd_rng_seed(&p->rng, plan->seed);
}

static void draw(struct pos *p, rd_tid tid) { p->of[tid].priority = rd_hash2(rd_hash2(p->seed, tid), p->asked); }

/* The candidate has another pending operation than at the last call: sets its sign and draws a priority. */
static void renew(struct pos *p, const struct rd_cand *c) {
    struct rd_event e = rd_event_of_op(c->tid, c->op, RD_TID_NONE);
    p->of[c->tid].sign = rd_event_sign(&e);
    draw(p, c->tid);
}

/* Threads that were no candidates at the last call have a new operation, or one that is enabled only now. */
static void update(struct pos *p, const struct rd_point *point) {
    bool next = p->asked > 1 && point->step == p->step + 1;
    struct rd_bits seen = next ? p->seen : (struct rd_bits){{0}};
    if (point->same && next)
        return;
    memset(&p->seen, 0, sizeof p->seen);
    for (uint32_t i = 0; i < point->count; i++) {
        rd_tid tid = point->cand[i].tid;
        rd_bits_add(&p->seen, tid);
        if (!rd_bits_has(&seen, tid))
            renew(p, &point->cand[i]);
    }
}

static bool depends(const struct pos *p, const struct rd_cand *c) {
    struct rd_event e = rd_event_of_op(c->tid, c->op, RD_TID_NONE);
    return rd_event_dependent(&p->last, &e);
}

static uint32_t pick(void *state, const struct rd_point *point) {
    struct pos *p = state;
    if (!point->cand) {
        p->step = point->step;
        return rd_rng_below(&p->rng, point->count);
    }
    uint32_t best = 0;
    uint64_t most = 0;
    p->asked++;
    update(p, point);
    for (uint32_t i = 0; i < point->count; i++) {
        rd_tid tid = point->cand[i].tid;
        if (tid == p->last.tid && p->asked > 1)
            renew(p, &point->cand[i]);
        else if (RD_UNLIKELY(rd_event_sign_meets(&p->last_sign, &p->of[tid].sign)) && depends(p, &point->cand[i]))
            draw(p, tid);
        if (i == 0 || p->of[tid].priority > most) {
            best = i;
            most = p->of[tid].priority;
        }
    }
    p->step = point->step;
    p->last = rd_event_of_op(point->cand[best].tid, point->cand[best].op, RD_TID_NONE);
    p->last_sign = rd_event_sign(&p->last);
    return best;
}

const struct rd_picker rd_pick_pos = {"pos", "by random priorities, drawn anew where the order matters", begin,
                                      pick, false};
