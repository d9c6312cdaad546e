/*
 * rff.c - random priorities as in pos.c, bent to wishes of who reads what from whom (Wolff, Shi, Duck, Mathur and
 * Roychoudhury, "Greybox fuzzing for concurrency testing", ASPLOS 2024). A read waits until the write that it is to
 * see was the last one, and while it is, other writes wait until it was read; a read that shall not see a write
 * waits while that is the last one. When everybody would have to wait nobody does. A wish that was granted, or that
 * has held others back for long, is over.
 *
 * The plan: `a` wishes, each in three weights: read, write and whether it is one that shall be seen, object.
 */
#include "pick/rff.h"

#include "base/rng.h"
#include "pick/pick.h"

#include <string.h>

enum { PATIENCE = 2000 };

struct wish {
    struct rd_rff_wish w;
    uint32_t last; /* the last write to the object */
    uint32_t held; /* how often it has held somebody back */
    bool over;
};

struct rff {
    struct rd_rng rng;
    uint64_t seed;
    uint32_t asked, count;
    struct rd_event before;
    struct wish wish[RD_RFF_WISHES];
    uint32_t drawn[RD_TID_MAX]; /* when the priority of its operation was */
    uint32_t seen[RD_TID_MAX];  /* when it was a candidate the last time */
};

static_assert(sizeof(struct rff) <= RD_PICKER_STATE, "fits");

static void begin(void *state, const struct rd_plan *plan) {
    struct rff *p = state;
    RD_CHECK(plan->ask_always && plan->a <= RD_RFF_WISHES);
    memset(p, 0, sizeof *p);
    p->count = plan->a;
    p->seed = rd_mix(plan->seed);
    rd_rng_seed(&p->rng, plan->seed);
}

static void learn(struct rff *p, const struct rd_point *point) {
    for (uint32_t i = 0; i < p->count; i++) {
        const struct rd_weight *w = &point->weight[i * RD_RFF_WEIGHTS];
        p->wish[i].w = (struct rd_rff_wish){
            .read = w[0].steps, .write = w[1].steps, .positive = w[1].parent, .object = w[2].steps};
    }
}

/* What an operation is, as far as wishes go. */
struct touch {
    uint32_t event, object;
    bool reads, writes;
};

static struct touch touch_of(const struct rd_op *op, const struct rd_event *e) {
    unsigned flags = rd_op_flags(op->kind);
    if (!op->place)
        return (struct touch){.event = 0};
    return (struct touch){.event = rd_rff_event(op->pc, op->place),
                          .object = rd_rff_object(op->place),
                          .reads = rd_rff_reads(e, flags),
                          .writes = rd_rff_writes(e, flags)};
}

/* Does this wish want it to wait? */
static bool holds(const struct wish *w, const struct touch *t) {
    if (w->over || t->object != w->w.object)
        return false;
    if (t->reads && t->event == w->w.read)
        return w->w.positive ? w->last != w->w.write : w->last == w->w.write;
    return t->writes && w->w.positive && w->last == w->w.write;
}

static bool waits(struct rff *p, const struct touch *t) {
    bool held = false;
    for (uint32_t i = 0; i < p->count; i++) {
        struct wish *w = &p->wish[i];
        if (!holds(w, t))
            continue;
        w->over = ++w->held > PATIENCE;
        held = true;
    }
    return held;
}

static void happens(struct rff *p, const struct touch *t) {
    for (uint32_t i = 0; i < p->count; i++) {
        struct wish *w = &p->wish[i];
        if (t->object != w->w.object)
            continue;
        w->over |= w->w.positive && t->reads && t->event == w->w.read && w->last == w->w.write;
        if (t->writes)
            w->last = t->event;
    }
}

static uint32_t pick(void *state, const struct rd_point *point) {
    struct rff *p = state;
    if (!point->cand)
        return rd_rng_below(&p->rng, point->count);
    uint32_t best = 0, now = ++p->asked;
    uint64_t most = 0;
    struct touch taken = {.event = 0};
    bool first = true, taken_waits = false;
    if (now == 1)
        learn(p, point);
    for (uint32_t i = 0; i < point->count; i++) {
        rd_tid tid = point->cand[i].tid;
        struct rd_event e = rd_event_of_op(tid, point->cand[i].op, RD_TID_NONE);
        if (now == 1 || p->seen[tid] != now - 1 || rd_event_dependent(&p->before, &e))
            p->drawn[tid] = now;
        p->seen[tid] = now;
        uint64_t priority = rd_hash2(rd_hash2(p->seed, tid), p->drawn[tid]);
        struct touch t = touch_of(point->cand[i].op, &e);
        bool later = waits(p, &t);
        if (first || later < taken_waits || (later == taken_waits && priority > most)) {
            best = i;
            most = priority;
            taken = t;
            taken_waits = later;
            first = false;
        }
    }
    happens(p, &taken);
    p->before = rd_event_of_op(point->cand[best].tid, point->cand[best].op, RD_TID_NONE);
    return best;
}

const struct rd_picker rd_pick_rff = {"rff", "by random priorities, bent to who shall read from whom", begin, pick,
                                      false};
