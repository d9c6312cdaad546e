/*
 * follow.c - repeats an execution in which fewer accesses were points: the same operations in the same order, and
 * each access that is a point only now right behind the operation before it, where that execution made it. The
 * guide behind the prefix of the plan (rd_choices_of_steps; the plan's `a` is its length) lists the steps of that
 * execution.
 *
 * An operation is an additional point if it is not the thread's next one in the guide. (It cannot look the same:
 * the additional points access memory that no step of the guide accesses.) A guide that becomes impossible is left:
 * the default picker goes on.
 */
#include "pick/pick.h"

#include <string.h>

struct follow {
    uint32_t length, at;       /* the next element of the guide that is a turn or a way */
    uint32_t next[RD_TID_MAX]; /* by thread: no element before this index, and not before `at`, is its next turn */
};

static_assert(sizeof(struct follow) <= RD_PICKER_STATE, "fits");

static void begin(void *state, const struct rd_plan *plan) {
    struct follow *f = state;
    RD_CHECK(plan->ask_always && plan->prefix_count == 0);
    memset(f, 0, sizeof *f);
    f->length = plan->a;
}

static bool is_way(const struct rd_choice *c) { return rd_op_flags(c->op) & RD_F_VALUE; }

/* Returns the next turn of the thread in the guide; NULL: it has none. */
static const struct rd_choice *next_turn(struct follow *f, const struct rd_choice *guide, rd_tid tid) {
    uint32_t *i = &f->next[tid];
    RD_ASSERT(tid < RD_TID_MAX);
    *i = RD_MAX(*i, f->at);
    while (*i < f->length && (is_way(&guide[*i]) || guide[*i].pick != tid))
        ++*i;
    return *i < f->length ? &guide[*i] : NULL;
}

/* Returns whether the pending operation of a candidate is an access that is no step of the guide. */
static bool is_additional(struct follow *f, const struct rd_point *p, uint32_t candidate) {
    const struct rd_op *op = p->cand[candidate].op;
    const struct rd_choice *turn = next_turn(f, p->guide, p->cand[candidate].tid);
    if (!turn)
        return op->kind == RD_OP_READ || op->kind == RD_OP_WRITE || op->kind == RD_OP_FREE ||
               op->kind == RD_OP_CALL;
    return op->kind != turn->op || op->pc != turn->pc || op->place != turn->place;
}

static uint32_t pick(void *state, const struct rd_point *p) {
    struct follow *f = state;
    if (!p->cand) {
        bool way = f->at < f->length && is_way(&p->guide[f->at]) && p->guide[f->at].pick < p->count;
        return way ? p->guide[f->at++].pick : 0;
    }
    for (uint32_t i = 0; i < p->count; i++)
        if (p->cand[i].tid == p->current && is_additional(f, p, i))
            return i;
    while (f->at < f->length && is_way(&p->guide[f->at]))
        f->at++;
    for (uint32_t i = 0; f->at < f->length && i < p->count; i++)
        if (p->cand[i].tid == p->guide[f->at].pick) {
            f->at += !is_additional(f, p, i);
            return i;
        }
    f->length = 0;
    return rd_pick_stay.pick(NULL, p);
}

const struct rd_picker rd_pick_follow = {"follow", "the order of an execution that had fewer points", begin, pick,
                                         false};
