/*
 * close_cycle.c - see close_cycle.h. A thread of the lock cycle is held back in two places, as long as other
 * threads are candidates: before it takes the lock that it holds in the cycle, until no other thread can go on, so
 * that all threads come to the cycle before one of them keeps a lock that others may need on their way; and before
 * it takes the lock that the next thread holds.
 *
 * With seed 0 the current thread goes on, otherwise the first. With any other even seed the current thread mostly
 * goes on; with an uneven seed all candidates that are not held back are equally likely. In another schedule a
 * thread may take a lock more or less often before: with every fourth seed it is held back each time that it wants
 * the lock that closes the cycle, and not before the other.
 */
#include "pick/close_cycle.h"

#include "base/rng.h"
#include "trace/held.h"

struct circle {
    struct rd_rng rng;
    uint64_t seed;
    uint32_t length;               /* of the list */
    uint32_t taken[RD_CYCLE_LIST]; /* by element: how often the thread has taken the lock there */
    bool let_go[RD_CYCLE_LIST];    /* by element: the thread is held back there no more */
};

static_assert(sizeof(struct circle) <= RD_PICKER_STATE, "fits");

enum { STAYS = 8, PLAIN = 4 };

static void begin(void *state, const struct rd_plan *plan) {
    struct circle *c = state;
    RD_CHECK(plan->ask_always && plan->prefix_count == 0 && plan->a <= RD_CYCLE_LIST);
    *c = (struct circle){.seed = plan->seed, .length = plan->a};
    rd_rng_seed(&c->rng, plan->seed);
}

static bool is_plain(const struct circle *c) { return c->seed % PLAIN == PLAIN - 1; }

/* Returns whether the candidate is about to take the lock of the element. */
static bool takes(const struct rd_choice *e, const struct rd_cand *cand) {
    return e->pick == cand->tid && cand->op->kind != RD_OP_RWLOCK_QUEUE && cand->op->pc == e->pc &&
           rd_circle_wanted(cand->op->kind, cand->op->place, cand->op->place2) == e->place;
}

/* Returns the element at which the candidate is held back; the length of the list: none. */
static uint32_t held_at(const struct circle *c, const struct rd_point *p, const struct rd_cand *cand) {
    for (uint32_t k = 0; k < c->length; k++) {
        const struct rd_choice *e = &p->guide[k];
        bool wants = e->op == RD_CYCLE_WANTS, now = is_plain(c) ? wants : c->taken[k] == e->fp;
        if (now && !c->let_go[k] && takes(e, cand))
            return k;
    }
    return c->length;
}

/* No thread but those that are held back can go on: lets one of them take the lock that it holds in the cycle. */
static uint32_t let_one_go(struct circle *c, const struct rd_point *p) {
    uint32_t chosen = p->count, at = 0, seen = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t k = held_at(c, p, &p->cand[i]);
        if (p->cand[i].only_times_out || k == c->length || p->guide[k].op != RD_CYCLE_HOLDS)
            continue;
        seen++;
        if (c->seed ? rd_rng_below(&c->rng, seen) == 0 : seen == 1) {
            chosen = i;
            at = k;
        }
    }
    if (chosen < p->count)
        c->let_go[at] = true;
    else
        chosen = c->seed ? rd_rng_below(&c->rng, p->count) : 0;
    return chosen;
}

static uint32_t choose(struct circle *c, const struct rd_point *p) {
    uint32_t free = 0, chosen = 0;
    bool stay = c->seed % 2 == 0 && (!c->seed || rd_rng_below(&c->rng, STAYS));
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->cand[i].only_times_out || held_at(c, p, &p->cand[i]) < c->length)
            continue;
        if (stay && p->cand[i].tid == p->current)
            return i;
        free++;
        if (c->seed ? rd_rng_below(&c->rng, free) == 0 : free == 1)
            chosen = i;
    }
    return free ? chosen : let_one_go(c, p);
}

static uint32_t pick(void *state, const struct rd_point *p) {
    struct circle *c = state;
    if (!p->cand)
        return c->seed ? rd_rng_below(&c->rng, p->count) : 0;
    uint32_t chosen = choose(c, p);
    for (uint32_t k = 0; k < c->length; k++)
        c->taken[k] += takes(&p->guide[k], &p->cand[chosen]);
    return chosen;
}

const struct rd_picker rd_pick_circle = {"circle", "hold the threads of a circle of locks back until it closes",
                                         begin, pick, false};
