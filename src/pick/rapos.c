/*
 * rapos.c - random partial-order sampling (Sen, "Effective random testing of concurrent programs", ASE 2007), in
 * rounds. In a round, the picker draws a random set of pairwise independent operations, from the threads that may
 * be scheduled, and performs them. In the next round the threads may be scheduled whose operation depends on one of
 * these; if there is no such thread, one is drawn from all.
 *
 * The set: one thread, drawn uniformly, then the others in the order of their numbers, each with probability 1/2 if
 * its operation is independent of the set. They run in that order; another order would give another distribution of
 * schedules, but not of partial orders.
 *
 * As published, a thread can wait for ever while others depend only on each other. So a thread that was left out of
 * many rounds may be scheduled from then on. The plan must ask always: every operation counts.
 */
#include "base/rng.h"
#include "pick/pick.h"
#include "trace/event.h"

#include <string.h>

enum { ROUNDS_LEFT_OUT = 100 };

struct rapos {
    struct rd_rng rng;
    uint32_t asked, round;
    struct rd_event last;
    uint32_t seen[RD_TID_MAX];    /* by thread: the call at which it was last a candidate */
    uint32_t related[RD_TID_MAX]; /* by thread: the last round with an operation that its own depends on */
    rd_tid set[RD_TID_MAX];
    uint32_t count, done; /* of the set */
};

static_assert(sizeof(struct rapos) <= RD_PICKER_STATE, "fits");

static void begin(void *state, const struct rd_plan *plan) {
    struct rapos *p = state;
    RD_CHECK(plan->ask_always);
    memset(p, 0, sizeof *p);
    rd_rng_seed(&p->rng, plan->seed);
}

static struct rd_event event_of(const struct rd_cand *c) { return rd_event_of_op(c->tid, c->op, RD_TID_NONE); }

/*
 * Marks the threads whose operation depends on the last operation. A thread that was no candidate before that
 * operation was enabled or created by it.
 */
static void relate(struct rapos *p, const struct rd_point *point) {
    uint32_t now = ++p->asked;
    for (uint32_t i = 0; i < point->count; i++) {
        rd_tid tid = point->cand[i].tid;
        struct rd_event e = event_of(&point->cand[i]);
        if (now == 1 || p->seen[tid] != now - 1 || rd_event_dependent(&p->last, &e))
            p->related[tid] = p->round;
        p->seen[tid] = now;
    }
}

static uint32_t index_of(const struct rd_point *point, rd_tid tid) {
    for (uint32_t i = 0; i < point->count; i++)
        if (point->cand[i].tid == tid)
            return i;
    return point->count;
}

static bool independent(const struct rapos *p, const struct rd_point *point, const struct rd_cand *c) {
    struct rd_event mine = event_of(c);
    for (uint32_t i = 0; i < p->count; i++) {
        struct rd_event other = event_of(&point->cand[index_of(point, p->set[i])]);
        if (rd_event_dependent(&mine, &other))
            return false;
    }
    return true;
}

static bool may_be_drawn(const struct rapos *p, rd_tid tid) {
    return p->related[tid] == p->round || p->round - p->related[tid] > ROUNDS_LEFT_OUT;
}

static void draw_set(struct rapos *p, const struct rd_point *point) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < point->count; i++)
        n += may_be_drawn(p, point->cand[i].tid);
    uint32_t first = rd_rng_below(&p->rng, n ? n : point->count);
    p->count = p->done = 0;
    for (uint32_t i = 0, k = 0; i < point->count && p->count == 0; i++)
        if ((n == 0 || may_be_drawn(p, point->cand[i].tid)) && k++ == first)
            p->set[p->count++] = point->cand[i].tid;
    for (uint32_t i = 0; n && i < point->count; i++) {
        const struct rd_cand *c = &point->cand[i];
        if (may_be_drawn(p, c->tid) && independent(p, point, c) && rd_rng_below(&p->rng, 2))
            p->set[p->count++] = c->tid;
    }
    RD_CHECK(p->count > 0 && p->count <= point->count);
    p->round++;
}

static uint32_t pick(void *state, const struct rd_point *point) {
    struct rapos *p = state;
    if (!point->cand)
        return rd_rng_below(&p->rng, point->count);
    relate(p, point);
    for (;;) {
        while (p->done < p->count) {
            uint32_t i = index_of(point, p->set[p->done++]);
            if (i == point->count) /* the fairness rule holds it back since the set was drawn */
                continue;
            p->last = event_of(&point->cand[i]);
            return i;
        }
        draw_set(p, point);
    }
}

const struct rd_picker rd_pick_rapos = {"rapos", "random sets of independent operations, then what depends on them",
                                        begin, pick, false};
