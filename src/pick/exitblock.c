/*
 * exitblock.c - the picker of searches over atomic blocks (search/exitblock): the current thread as long as it is
 * enabled, then the first of the others. The plan's seed is a set of threads (bit t: thread t, below 64) that come
 * last until a block has ended. A thread that blocks in the middle of a block cuts the execution: the block does
 * not happen.
 *
 * The search compares every execution with its plan and runs another one if the two differ. So the choices of the
 * picker save executions, and the result of the search does not depend on them.
 */
#include "pick/pick.h"

struct blocks {
    uint64_t behind;
    bool known; /* `ended` and `last` are those of the step before */
    bool ended; /* the step before was the last of its block */
    rd_tid last;
};

static_assert(sizeof(struct blocks) <= RD_PICKER_STATE, "fits");

static void begin(void *state, const struct rd_plan *plan) {
    struct blocks *b = state;
    *b = (struct blocks){.behind = plan->seed};
}

/* Returns whether other threads may become enabled by the operation: a block may end there. */
static bool ends_block(unsigned op) {
    unsigned flags = rd_op_flags(op);
    return !(flags & (RD_F_BLOCKS | RD_F_READS | RD_F_WRITES)) && op != RD_OP_START;
}

static uint32_t first_of(const struct blocks *b, const struct rd_point *p, bool late, bool behind) {
    for (uint32_t i = 0; i < p->count; i++) {
        rd_tid t = p->cand[i].tid;
        bool is_behind = t < 64 && b->behind >> t & 1;
        if (p->cand[i].only_times_out == late && is_behind == behind)
            return i;
    }
    return p->count;
}

static uint32_t choose(const struct blocks *b, const struct rd_point *p) {
    for (uint32_t i = 0; i < p->count; i++)
        if (p->cand[i].tid == p->current && !p->cand[i].only_times_out)
            return i;
    if (!p->over && b->known && !b->ended && b->last == p->current)
        return p->count;
    for (unsigned way = 0; way < 4; way++) {
        uint32_t i = first_of(b, p, way & 1, way & 2);
        if (i < p->count)
            return i;
    }
    return p->count;
}

static uint32_t pick(void *state, const struct rd_point *p) {
    struct blocks *b = state;
    if (!p->cand)
        return 0;
    uint32_t i = choose(b, p);
    if (i == p->count)
        return RD_PICK_STOP;
    b->known = true;
    b->ended = ends_block(p->cand[i].op->kind);
    b->last = p->cand[i].tid;
    if (b->ended)
        b->behind = 0;
    return i;
}

const struct rd_picker rd_pick_block = {
    "block", "go on with the current thread; stop when it is held up in a block", begin, pick, false};
