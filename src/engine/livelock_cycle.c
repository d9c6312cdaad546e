/* round.c - see livelock_cycle.h. */
#include "engine/livelock_cycle.h"

#include "engine/engine.h"

#include <string.h>

enum { STEPS = 1 << 16, ROUNDS = 64 }; /* looked at, at most; and so often they must be the same */

/* The next steps that are looked at, from now on. */
static void look_next(struct rd_engine *e) {
    struct rd_livelock_cycle *r = &e->cycle;
    uint32_t now = e->rec.out->steps, left = e->limits.steps_max > now ? e->limits.steps_max - now : 0;
    r->count = RD_MIN(RD_MAX(left / 2, 1u), (uint32_t)STEPS);
    r->first = now;
    r->due = now + r->count;
    if (!r->sign || r->room < r->count) {
        r->sign = rd_arena_alloc(e->world.arena, r->count * sizeof *r->sign);
        r->room = r->count;
    }
    memset(r->sign, 0, r->count * sizeof *r->sign);
}

void rd_livelock_cycle_begin(struct rd_engine *e) { look_next(e); }

void rd_livelock_cycle_stop(struct rd_engine *e) {
    e->cycle.count = e->cycle.due = 0;
    e->cycle.first = UINT32_MAX;
}

bool rd_livelock_cycle_due(const struct rd_engine *e) { return e->cycle.due && e->rec.out->steps >= e->cycle.due; }

void rd_livelock_cycle_later(struct rd_engine *e) { look_next(e); }

static bool is_memory(unsigned kind) {
    return (rd_op_flags(kind) & (RD_F_READS | RD_F_WRITES)) && kind != RD_OP_AWAIT;
}

void rd_livelock_cycle_content(struct rd_op *op, uint64_t content) {
    /* of a write that has no local state: some, which says nothing about loops (spin.h looks at what reads) */
    op->local = rd_hash2(op->local, content) | 1;
}

/* Operations of which nothing is to be known but what the engine knows. */
static bool is_known(const struct rd_op *op) {
    if (is_memory(op->kind))
        return op->local != 0 && !(rd_op_flags(op->kind) & RD_F_OBJECT);
    return op->kind == RD_OP_YIELD || op->kind == RD_OP_SLEEP || op->kind == RD_OP_FENCE ||
           op->kind == RD_OP_AWAIT || (op->kind >= RD_OP_MUTEX_LOCK && op->kind <= RD_OP_COND_BROADCAST) ||
           (op->kind >= RD_OP_SPIN_LOCK && op->kind <= RD_OP_BARRIER_LEAVE);
}

static uint64_t *slot(struct rd_engine *e, uint32_t step) {
    struct rd_livelock_cycle *r = &e->cycle;
    if (step < r->first || step - r->first >= r->count)
        return NULL;
    return &r->sign[step - r->first];
}

void rd_livelock_cycle_note(struct rd_engine *e, uint32_t step, const struct rd_op *op, bool signalled,
                            const struct rd_result *r) {
    uint64_t *sign = slot(e, step);
    if (!sign)
        return;
    if (signalled || r->cancelled || !is_known(op)) {
        *sign = rd_mix(step);
        return;
    }
    uint64_t h = rd_hash2(rd_hash2(op->kind, op->pc), rd_hash2(op->place, op->place2));
    h = rd_hash2(rd_hash2(h, op->local), rd_hash2(rd_hash2(e->rec.steps[step].tid, (uint64_t)r->error), r->value));
    *sign = h & ~(uint64_t)1;
    /* the lowest bit says that the thread's state is known there */
    bool reads = rd_op_flags(op->kind) & RD_F_READS;
    if (op->local && (reads || !is_memory(op->kind)))
        *sign |= 1;
}

void rd_livelock_cycle_break(struct rd_engine *e) {
    uint32_t steps = e->rec.out->steps;
    uint64_t *sign = steps ? slot(e, steps - 1) : NULL;
    if (sign)
        *sign = rd_mix(steps);
}

/* The smallest p > 0 such that every item is the same as the one p before it (Knuth, Morris, Pratt). */
static uint32_t period(struct rd_arena *a, const uint64_t *at, uint32_t count) {
    uint32_t *border = rd_arena_zero(a, ((size_t)count + 1) * sizeof *border);
    for (uint32_t i = 1, k = 0; i < count; i++) {
        while (k > 0 && at[i] != at[k])
            k = border[k];
        k += at[i] == at[k];
        border[i + 1] = k;
    }
    return count - border[count];
}

uint32_t rd_livelock_cycle_length(struct rd_engine *e) {
    const struct rd_livelock_cycle *r = &e->cycle;
    uint32_t steps = e->rec.out->steps, count = RD_MIN(steps - r->first, r->count);
    if (!r->count || count < 2)
        return 0;
    uint32_t length = period(e->world.arena, r->sign, count);
    if (length > count / ROUNDS)
        return 0;
    struct rd_bits in = {{0}}, known = {{0}};
    for (uint32_t i = steps - length; i < steps; i++) {
        rd_bits_add(&in, e->rec.steps[i].tid);
        if (r->sign[i - r->first] & 1)
            rd_bits_add(&known, e->rec.steps[i].tid);
    }
    for (uint32_t t = 0; t < e->world.count; t++) {
        bool goes_on = rd_model_enabled(&e->world, (rd_tid)t);
        if ((goes_on && !rd_bits_has(&in, t)) || (rd_bits_has(&in, t) && !rd_bits_has(&known, t)))
            return 0;
    }
    return length;
}
