/*
 * pos.c - partial order sampling (Yuan, Yang and Gu, CAV 2018): every pending operation has a random priority, and
 * the highest happens. Then those get a new one whose order with it matters: the next operation of the same thread,
 * and the pending ones that depend on it. Orders of independent operations are not told apart that way.
 *
 * A thread that could not go on has been let go by an operation that its own depends on, so whoever was no
 * candidate at the point before has a new priority. The plan must ask always: every operation counts.
 */
#include "base/rng.h"
#include "pick/pick.h"
#include "trace/event.h"

#include <string.h>

struct pos {
    struct rd_rng rng;
    uint64_t seed;
    uint32_t asked;
    struct rd_event last;
    uint32_t drawn[RD_TID_MAX]; /* when the priority of its operation was */
    uint32_t seen[RD_TID_MAX];  /* when it was a candidate the last time */
};

static_assert(sizeof(struct pos) <= RD_PICKER_STATE, "fits");

static void begin(void *state, const struct rd_plan *plan) {
    struct pos *p = state;
    RD_CHECK(plan->ask_always);
    memset(p, 0, sizeof *p);
    p->seed = rd_mix(plan->seed);
    rd_rng_seed(&p->rng, plan->seed);
}

static uint32_t pick(void *state, const struct rd_point *point) {
    struct pos *p = state;
    if (!point->cand)
        return rd_rng_below(&p->rng, point->count);
    uint32_t best = 0;
    uint64_t most = 0;
    uint32_t now = ++p->asked;
    for (uint32_t i = 0; i < point->count; i++) {
        rd_tid tid = point->cand[i].tid;
        struct rd_event e = rd_event_of_op(tid, point->cand[i].op, RD_TID_NONE);
        if (now == 1 || p->seen[tid] != now - 1 || rd_event_dependent(&p->last, &e))
            p->drawn[tid] = now;
        p->seen[tid] = now;
        uint64_t priority = rd_hash2(rd_hash2(p->seed, tid), p->drawn[tid]);
        if (i == 0 || priority > most) {
            best = i;
            most = priority;
        }
    }
    p->last = rd_event_of_op(point->cand[best].tid, point->cand[best].op, RD_TID_NONE);
    return best;
}

const struct rd_picker rd_pick_pos = {"pos", "by random priorities, drawn anew where the order matters", begin,
                                      pick, false};
