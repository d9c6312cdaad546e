/* livelock_cycle.c - see livelock_cycle.h. */
#include "engine/livelock_cycle.h"

#include "engine/engine.h"

#include <string.h>

enum { STEPS_MAX = 1 << 16 }; /* steps of a window, at most */
enum { REPEATS = 64 };        /* a window must consist of so many repetitions of a cycle, at least */

/* Begins a window: signatures are kept of the steps from here on. */
static void begin_window(struct rd_engine *e) {
    struct rd_livelock_cycle *r = &e->cycle;
    uint32_t now = e->rec.out->steps, left = e->limits.steps_max > now ? e->limits.steps_max - now : 0;
    r->count = RD_MIN(RD_MAX(left / 2, 1u), (uint32_t)STEPS_MAX);
    r->first = now;
    r->due = now + r->count;
    if (!r->signature || r->room < r->count) {
        r->signature = rd_arena_alloc(e->world.arena, r->count * sizeof *r->signature);
        r->room = r->count;
    }
    memset(r->signature, 0, r->count * sizeof *r->signature);
}

void rd_livelock_cycle_begin(struct rd_engine *e) { begin_window(e); }

void rd_livelock_cycle_stop(struct rd_engine *e) {
    e->cycle.count = e->cycle.due = 0;
    e->cycle.first = UINT32_MAX;
}

bool rd_livelock_cycle_due(const struct rd_engine *e) { return e->cycle.due && e->rec.out->steps >= e->cycle.due; }

void rd_livelock_cycle_later(struct rd_engine *e) { begin_window(e); }

static bool is_memory(unsigned kind) {
    return (rd_op_flags(kind) & (RD_F_READS | RD_F_WRITES)) && kind != RD_OP_AWAIT;
}

void rd_livelock_cycle_content(struct rd_op *op, uint64_t content) {
    /*
     * A write without a local state gets one here, never 0. It does not make spin.c recognise a loop, because an
     * iteration can begin only with an operation that reads.
     */
    op->local = rd_hash2(op->local, content) | 1;
}

/* Returns whether the engine knows all effects of the operation on its thread. */
static bool is_known(const struct rd_op *op) {
    if (is_memory(op->kind))
        return op->local != 0 && !(rd_op_flags(op->kind) & RD_F_OBJECT);
    return op->kind == RD_OP_YIELD || op->kind == RD_OP_SLEEP || op->kind == RD_OP_FENCE ||
           op->kind == RD_OP_AWAIT || (rd_op_flags(op->kind) & RD_F_MODEL);
}

static uint64_t *slot(struct rd_engine *e, uint32_t step) {
    struct rd_livelock_cycle *r = &e->cycle;
    RD_CHECK(r->count <= r->room);
    if (step < r->first || step - r->first >= r->count)
        return NULL;
    return &r->signature[step - r->first];
}

void rd_livelock_cycle_note(struct rd_engine *e, uint32_t step, const struct rd_op *op, bool signalled,
                            const struct rd_result *r) {
    uint64_t *signature = slot(e, step);
    if (!signature)
        return;
    if (signalled || r->cancelled || !is_known(op)) {
        *signature = rd_mix(step);
        return;
    }
    uint64_t h = rd_hash2(rd_hash2(op->kind, op->pc), rd_hash2(op->place, op->place2));
    h = rd_hash2(rd_hash2(h, op->local), rd_hash2(rd_hash2(e->rec.steps[step].tid, (uint64_t)r->error), r->value));
    *signature = h & ~(uint64_t)1;
    /* the lowest bit is set if the local state of the thread is known at this step */
    bool reads = rd_op_flags(op->kind) & RD_F_READS;
    if (op->local && (reads || !is_memory(op->kind)))
        *signature |= 1;
}

void rd_livelock_cycle_break(struct rd_engine *e) {
    uint32_t steps = e->rec.out->steps;
    uint64_t *signature = steps ? slot(e, steps - 1) : NULL;
    if (signature)
        *signature = rd_mix(steps);
}

/* Returns the smallest p > 0 such that each item equals the one p before it (Knuth, Morris and Pratt). */
static uint32_t period(struct rd_arena *a, const uint64_t *at, uint32_t count) {
    uint32_t *border = rd_arena_zero(a, ((size_t)count + 1) * sizeof *border);
    for (uint32_t i = 1, k = 0; i < count; i++) {
        while (k > 0 && at[i] != at[k])
            k = border[k];
        k += at[i] == at[k];
        border[i + 1] = k;
    }
    RD_CHECK(border[count] < count);
    return count - border[count];
}

uint32_t rd_livelock_cycle_length(struct rd_engine *e) {
    const struct rd_livelock_cycle *r = &e->cycle;
    uint32_t steps = e->rec.out->steps, count = RD_MIN(steps - r->first, r->count);
    if (!r->count || count < 2)
        return 0;
    RD_CHECK(steps >= r->first && count <= r->room);
    uint32_t length = period(e->world.arena, r->signature, count);
    if (length > count / REPEATS)
        return 0;
    struct rd_bits in = {{0}}, known = {{0}}; /* threads with a step of the cycle, and with a known local state */
    for (uint32_t i = steps - length; i < steps; i++) {
        rd_bits_add(&in, e->rec.steps[i].tid);
        if (r->signature[i - r->first] & 1)
            rd_bits_add(&known, e->rec.steps[i].tid);
    }
    for (uint32_t t = 0; t < e->world.count; t++) {
        bool goes_on = rd_model_enabled(&e->world, (rd_tid)t);
        if ((goes_on && !rd_bits_has(&in, t)) || (rd_bits_has(&in, t) && !rd_bits_has(&known, t)))
            return 0;
    }
    return length;
}
