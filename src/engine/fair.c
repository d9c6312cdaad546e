/*
 * fair.c - see fair.h. The sets follow the paper: E, D and S are `enabled`, `disabled` and `scheduled`, and P, the
 * relation of priorities, is `behind`.
 */
#include "engine/fair.h"

static void make_room(struct rd_fair *f, struct rd_arena *a) {
    f->thread = rd_arena_zero(a, RD_TID_MAX * sizeof(struct rd_fair_thread *));
    f->yielder = rd_arena_alloc(a, RD_TID_MAX * sizeof *f->yielder);
}

uint32_t rd_fair_filter(const struct rd_fair *f, rd_tid *enabled, uint32_t count) {
    if (f->yielders == 0)
        return count;
    struct rd_bits enabled_set;
    for (unsigned w = 0; w < f->words; w++)
        enabled_set.w[w] = 0;
    for (uint32_t i = 0; i < count; i++)
        if (enabled[i] < f->words * 64)
            rd_bits_add(&enabled_set, enabled[i]);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct rd_fair_thread *t = f->thread[enabled[i]];
        bool waits = false;
        for (unsigned w = 0; t && w < f->words; w++)
            waits |= (t->behind.w[w] & enabled_set.w[w]) != 0;
        if (!waits)
            enabled[kept++] = enabled[i];
    }
    /* P is acyclic: a thread steps behind others only when it yields, and no thread is behind it then */
    RD_CHECK(count == 0 || kept > 0);
    return kept;
}

/*
 * The thread yields after an iteration in which it changed nothing: it steps behind all threads that could have run
 * in that time and did not.
 */
static void step_back(struct rd_fair_thread *t, rd_tid tid, uint32_t words) {
    RD_CHECK(rd_bits_has(&t->scheduled, tid)); /* since its last yield it has run itself */
    for (unsigned w = 0; w < words; w++)
        t->behind.w[w] |= (t->enabled.w[w] | t->disabled.w[w]) & ~t->scheduled.w[w];
    rd_bits_del(&t->behind, tid);
}

void rd_fair_step(struct rd_fair *f, struct rd_arena *a, rd_tid tid, const struct rd_op *op,
                  const struct rd_bits *before, const struct rd_bits *after, uint32_t count) {
    bool yields = rd_op_flags(op->kind) & RD_F_YIELD;
    if (!yields && f->yielders == 0)
        return;
    if (!f->thread)
        make_room(f, a);
    RD_CHECK(tid < count && count <= RD_TID_MAX && f->yielders <= count);
    f->words = (count + 63) / 64;
    for (uint32_t i = 0; i < f->yielders; i++) {
        struct rd_fair_thread *t = f->thread[f->yielder[i]];
        rd_bits_del(&t->behind, tid); /* tid has run: a yielder need not give way to it any more */
        for (unsigned w = 0; w < f->words; w++)
            t->enabled.w[w] &= after->w[w];
        rd_bits_add(&t->scheduled, tid);
    }
    if (yields && !f->thread[tid]) {
        f->thread[tid] = rd_arena_zero(a, sizeof(struct rd_fair_thread));
        f->yielder[f->yielders++] = tid;
    }
    struct rd_fair_thread *t = f->thread[tid];
    if (!t)
        return;
    for (unsigned w = 0; w < f->words; w++)
        t->disabled.w[w] |= before->w[w] & ~after->w[w];
    if (yields && ++t->ignored < f->every)
        return;
    if (!yields) {
        /* a compare-and-swap that succeeds leaves its loop, so one in a loop that goes on has changed nothing */
        t->wrote |= (rd_op_flags(op->kind) & RD_F_WRITES) && op->kind != RD_OP_ATOMIC_CAS;
        t->wrote |= op->kind == RD_OP_AWAIT; /* its loop goes on only after a change: it need not give way */
        return;
    }
    if (t->yielded && !t->wrote && t->pc == op->pc)
        step_back(t, tid, f->words);
    t->ignored = 0;
    t->yielded = true;
    t->wrote = false;
    t->pc = op->pc;
    for (unsigned w = 0; w < f->words; w++) {
        t->enabled.w[w] = after->w[w];
        t->disabled.w[w] = t->scheduled.w[w] = 0;
    }
}
