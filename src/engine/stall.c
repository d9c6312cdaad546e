/*
 * stall.c - see stall.h. Signatures are kept as bits of a hash, so some that are new are taken for old ones;
 * of a computation a whole window would have to be, which does not happen. What was seen once is never taken for
 * new.
 */
#include "engine/stall.h"

#include "engine/engine.h"

#include <string.h>

enum { WINDOWS = 4, WINDOW_PART = 8, WINDOW_LEAST = 8 };
enum { WORDS = 512 };   /* of a window's signatures */
enum { PATIENCE = 80 }; /* windows with nothing but what may be progress */
enum { REST = 32 };     /* windows that are not suspected, after one that had to be looked at more closely */

enum phase { COLLECT, JUDGE, COLLECT_CONTENT, JUDGE_CONTENT, STALLED };

void rd_stall_begin(struct rd_engine *e) {
    uint32_t usual = e->limits.stalled_after ? e->limits.stalled_after : (uint32_t)RD_STALLED_AFTER;
    uint32_t after = RD_MIN(e->limits.fair_after, usual);
    uint32_t window = RD_MAX(after / WINDOW_PART, (uint32_t)WINDOW_LEAST);
    uint32_t first = after > WINDOWS * window ? after - WINDOWS * window : 0;
    e->stall = (struct rd_stall){.from = first, .due = first + window, .window = window};
}

bool rd_stall_is_seen(const struct rd_stall *p) { return p->phase == STALLED; }

static bool is_access(unsigned kind) {
    return rd_op_flags(kind) & (RD_F_READS | RD_F_WRITES) && !(rd_op_flags(kind) & RD_F_OBJECT);
}

/* All that such an operation does is in memory that is seen, or in the models. */
static bool is_known(unsigned kind) {
    return is_access(kind) || kind == RD_OP_YIELD || kind == RD_OP_FENCE || kind == RD_OP_AWAIT ||
           (kind >= RD_OP_MUTEX_LOCK && kind <= RD_OP_COND_BROADCAST) ||
           (kind >= RD_OP_SPIN_LOCK && kind <= RD_OP_BARRIER_LEAVE);
}

/* Was it not there in the last window, nor before in this one? */
static bool is_new(struct rd_stall *p, uint64_t sign) {
    uint32_t word = (uint32_t)(sign >> 32) % WORDS;
    uint64_t bit = (uint64_t)1 << (sign & 63);
    bool old = (p->now[word] | p->before[word]) & bit;
    p->now[word] |= bit;
    return !old;
}

void rd_stall_note(struct rd_engine *e, const struct rd_op *op, bool signalled, const struct rd_result *r) {
    struct rd_stall *p = &e->stall;
    if (!p->now) {
        p->now = rd_arena_zero(e->world.arena, 2 * WORDS * sizeof *p->now);
        p->before = p->now + WORDS;
    }
    bool writes = is_access(op->kind) && rd_op_flags(op->kind) & RD_F_WRITES;
    uint64_t h = rd_hash2((uint64_t)op->kind << 16 | e->current, op->pc) + op->place * 0x9e3779b97f4a7c15u;
    h = rd_hash2(h, op->place2 + (uint64_t)r->error + (writes ? op->local : 0));
    p->fresh += is_new(p, h);
    if (signalled || r->cancelled || !is_known(op->kind)) {
        p->unknown_now = true;
        p->maybe++;
    } else if (!writes && op->local) {
        p->maybe += is_new(p, rd_hash2(h, op->local));
    }
}

static void look_closely(struct rd_stall *p, bool content, enum phase next) {
    p->content = content;
    p->phase = (uint8_t)next;
}

/* What follows from the window that has ended. */
static void judge(struct rd_engine *e, uint32_t now) {
    struct rd_stall *p = &e->stall;
    p->waited = p->fresh || !p->maybe ? 0 : p->waited + 1;
    bool nothing = !p->fresh && (!p->maybe || p->waited >= PATIENCE);
    switch ((enum phase)p->phase) {
    case COLLECT:
        p->phase = JUDGE;
        break;
    case JUDGE:
        if (p->rest)
            p->rest--;
        else if (nothing)
            look_closely(p, true, COLLECT_CONTENT);
        break;
    case COLLECT_CONTENT:
        p->phase = JUDGE_CONTENT;
        break;
    case JUDGE_CONTENT:
        if (nothing) {
            p->phase = STALLED;
            p->stalled_at = now;
            rd_livelock_cycle_begin(e);
        } else {
            p->rest = p->fresh ? REST : 0;
            look_closely(p, false, COLLECT);
        }
        break;
    case STALLED: /* turns for as long as it took to see that it needs them, at least */
        if (p->fresh && now - p->stalled_at >= WINDOW_PART * p->window) {
            rd_livelock_cycle_stop(e);
            look_closely(p, false, COLLECT);
        }
        break;
    }
}

void rd_stall_end_window(struct rd_engine *e) {
    struct rd_stall *p = &e->stall;
    judge(e, p->due);
    uint64_t *last = p->now;
    p->due += p->window;
    p->fresh = p->maybe = 0;
    p->unknown = p->unknown_now;
    p->unknown_now = false;
    if (!last)
        return;
    p->now = p->before;
    p->before = last;
    memset(p->now, 0, WORDS * sizeof *p->now);
}
