/*
 * stall.c - see stall.h. Signatures are kept as bits by a hash, so a new signature can be taken for an old one.
 * That does not make a computation look stalled: it would have to happen to all steps of a window. An old signature
 * is never taken for a new one.
 */
#include "engine/stall.h"

#include "engine/engine.h"

#include <string.h>

enum { WINDOWS = 4, WINDOW_PART = 8, WINDOW_LEAST = 8 };
enum { WORDS = 512 };            /* length of a window's set of signatures */
enum { MAYBE_WINDOWS_MAX = 80 }; /* so many windows in a row with only maybe_new steps count as progress */
enum { TRUSTED_WINDOWS = 32 };   /* windows that are not examined after a close look that showed progress */

/* COLLECT: a window that later ones are compared with. JUDGE: a window that is compared. _CONTENT: closely. */
enum phase { COLLECT, JUDGE, COLLECT_CONTENT, JUDGE_CONTENT, STALLED };

void rd_stall_begin(struct rd_engine *e) {
    uint32_t usual = e->limits.stalled_after ? e->limits.stalled_after : (uint32_t)RD_STALLED_AFTER;
    uint32_t after = RD_MIN(e->limits.fair_after, usual);
    uint32_t window = RD_MAX(after / WINDOW_PART, (uint32_t)WINDOW_LEAST);
    uint32_t first = after > WINDOWS * window ? after - WINDOWS * window : 0;
    e->stall = (struct rd_stall){.start = first, .due = first + window, .window = window};
}

bool rd_stall_is_seen(const struct rd_stall *p) { return p->phase == STALLED; }

static bool is_access(unsigned kind) {
    return rd_op_flags(kind) & (RD_F_READS | RD_F_WRITES) && !(rd_op_flags(kind) & RD_F_OBJECT);
}

/* Returns whether all effects of the operation are on memory that Raddle sees, or in the models. */
static bool is_known(unsigned kind) {
    return is_access(kind) || kind == RD_OP_YIELD || kind == RD_OP_FENCE || kind == RD_OP_AWAIT ||
           (rd_op_flags(kind) & RD_F_MODEL);
}

/* Adds the signature to this window. Returns whether it was neither in the last window nor in this one. */
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
    p->new_steps += is_new(p, h);
    if (signalled || r->cancelled || !is_known(op->kind)) {
        p->unknown_now = true;
        p->maybe_new++;
    } else if (!writes && op->local) {
        p->maybe_new += is_new(p, rd_hash2(h, op->local));
    }
}

static void enter_phase(struct rd_stall *p, bool content, enum phase next) {
    p->content = content;
    p->phase = (uint8_t)next;
}

/* Changes the phase by the window that has ended. */
static void judge(struct rd_engine *e, uint32_t now) {
    struct rd_stall *p = &e->stall;
    p->maybe_windows = p->new_steps || !p->maybe_new ? 0 : p->maybe_windows + 1;
    bool no_progress = !p->new_steps && (!p->maybe_new || p->maybe_windows >= MAYBE_WINDOWS_MAX);
    switch ((enum phase)p->phase) {
    case COLLECT:
        p->phase = JUDGE;
        break;
    case JUDGE:
        if (p->trusted_windows)
            p->trusted_windows--;
        else if (no_progress)
            enter_phase(p, true, COLLECT_CONTENT);
        break;
    case COLLECT_CONTENT:
        p->phase = JUDGE_CONTENT;
        break;
    case JUDGE_CONTENT:
        if (no_progress) {
            p->phase = STALLED;
            p->stalled_at = now;
            rd_livelock_cycle_begin(e);
        } else {
            p->trusted_windows = p->new_steps ? TRUSTED_WINDOWS : 0;
            enter_phase(p, false, COLLECT);
        }
        break;
    case STALLED: /* the fair tail lasts at least as long as it took to find that the execution is stalled */
        if (p->new_steps && now - p->stalled_at >= WINDOW_PART * p->window) {
            rd_livelock_cycle_stop(e);
            enter_phase(p, false, COLLECT);
        }
        break;
    }
}

void rd_stall_end_window(struct rd_engine *e) {
    struct rd_stall *p = &e->stall;
    RD_CHECK(p->phase <= STALLED && p->window >= WINDOW_LEAST && e->rec.out->steps >= p->due);
    judge(e, p->due);
    uint64_t *last = p->now;
    p->due += p->window;
    p->new_steps = p->maybe_new = 0;
    p->unknown = p->unknown_now;
    p->unknown_now = false;
    if (!last)
        return;
    p->now = p->before;
    p->before = last;
    memset(p->now, 0, WORDS * sizeof *p->now);
}
