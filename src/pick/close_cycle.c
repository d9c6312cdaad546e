/*
 * close_cycle.c - steers an execution into a predicted deadlock: each thread of the lock cycle is held back before
 * it takes the lock that the next thread of the cycle holds, as long as other threads are candidates. The weight of
 * a thread says which lock at which code address that is (rd_circle_mark).
 *
 * With seed 0 the current thread goes on, otherwise the first. With any other even seed the current thread mostly
 * goes on; with an uneven seed all candidates that are not held back are equally likely.
 */
#include "base/rng.h"
#include "pick/pick.h"

struct circle {
    struct rd_rng rng;
    uint64_t seed;
    uint32_t threads; /* with a weight */
};

static_assert(sizeof(struct circle) <= RD_PICKER_STATE, "fits");

enum { STAYS = 8 };

uint32_t rd_circle_mark(rd_place lock, rd_place pc) { return (uint32_t)rd_hash2(lock, pc) | 1; }

static void begin(void *state, const struct rd_plan *plan) {
    struct circle *c = state;
    *c = (struct circle){.seed = plan->seed, .threads = plan->a};
    rd_rng_seed(&c->rng, plan->seed);
}

static bool held_back(const struct circle *c, const struct rd_point *p, const struct rd_cand *cand) {
    if (cand->only_times_out)
        return true;
    if (cand->tid >= c->threads || !p->weight[cand->tid].steps || cand->op->kind == RD_OP_RWLOCK_QUEUE)
        return false;
    rd_place lock = cand->op->kind == RD_OP_COND_WAKE ? cand->op->place2 : cand->op->place;
    return rd_circle_mark(lock, cand->op->pc) == p->weight[cand->tid].steps;
}

static uint32_t pick(void *state, const struct rd_point *p) {
    struct circle *c = state;
    if (!p->cand)
        return c->seed ? rd_rng_below(&c->rng, p->count) : 0;
    uint32_t free = 0, chosen = 0;
    bool stay = c->seed % 2 == 0 && (!c->seed || rd_rng_below(&c->rng, STAYS));
    for (uint32_t i = 0; i < p->count; i++) {
        if (held_back(c, p, &p->cand[i]))
            continue;
        if (stay && p->cand[i].tid == p->current)
            return i;
        free++;
        if (c->seed ? rd_rng_below(&c->rng, free) == 0 : free == 1)
            chosen = i;
    }
    if (free)
        return chosen;
    return c->seed ? rd_rng_below(&c->rng, p->count) : 0;
}

const struct rd_picker rd_pick_circle = {"circle", "hold the threads of a circle of locks back until it closes",
                                         begin, pick, false};
