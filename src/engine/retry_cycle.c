/* retry_cycle.c - see retry_cycle.h. */
#include "engine/retry_cycle.h"

enum counts { CHANGE, LOCK, TRY, NEITHER };

/* How a kind counts in struct rd_retry_cycle_sum. CHANGE: its flags say whether it is a change. */
static const uint8_t counts_as[RD_OP_KINDS] = {
    [RD_OP_MUTEX_LOCK] = LOCK,      [RD_OP_SPIN_LOCK] = LOCK,        [RD_OP_RWLOCK_RDLOCK] = LOCK,
    [RD_OP_RWLOCK_WRLOCK] = LOCK,   [RD_OP_MUTEX_TRYLOCK] = TRY,     [RD_OP_SPIN_TRYLOCK] = TRY,
    [RD_OP_RWLOCK_TRYRDLOCK] = TRY, [RD_OP_RWLOCK_TRYWRLOCK] = TRY,  [RD_OP_MUTEX_UNLOCK] = NEITHER,
    [RD_OP_SPIN_UNLOCK] = NEITHER,  [RD_OP_RWLOCK_UNLOCK] = NEITHER, [RD_OP_SEM_TRYWAIT] = NEITHER,
    [RD_OP_FENCE] = NEITHER,
};

static inline void add(struct rd_retry_cycle_sum *s, unsigned kind) {
    unsigned flags = rd_op_flags(kind), as = counts_as[kind];
    s->locks += as == LOCK;
    s->tries += as == TRY;
    s->changes += as == CHANGE && !(flags & RD_F_YIELD) && (flags & (RD_F_READS | RD_F_WRITES)) != RD_F_READS;
}

/* Returns whether the steps between two sums are more than a wait for one lock. */
static bool adds_changes(const struct rd_retry_cycle_sum *s, const struct rd_retry_cycle_sum *than) {
    return s->changes != than->changes || (s->locks != than->locks && s->tries != than->tries);
}

/* Returns whether the operation ends a cycle: the thread was there before in the same local state. */
static bool repeats(const struct rd_retry_cycle *r, const struct rd_op *op) {
    for (uint32_t i = 0; i < r->count; i++)
        if (r->at[i].pc == op->pc && r->at[i].local == op->local && adds_changes(&r->sum, &r->at[i].sum))
            return true;
    return false;
}

bool rd_retry_cycle_arrives(struct rd_retry_cycle *r, rd_tid tid, const struct rd_op *op) {
    if (r->tid != tid) {
        r->tid = tid;
        r->count = 0;
        r->seen = 0;
    }
    uint64_t bit = 1ull << (op->local & 63);
    bool repeated = op->local && RD_UNLIKELY(r->seen & bit) && repeats(r, op);
    RD_ASSERT(r->count <= RD_RETRY_CYCLE_KEPT);
    if (RD_UNLIKELY(r->count == RD_RETRY_CYCLE_KEPT))
        r->count = 0; /* longer cycles are not recognised */
    if (op->local) {
        r->seen |= bit;
        r->at[r->count].pc = op->pc;
        r->at[r->count].local = op->local;
        r->at[r->count++].sum = r->sum;
    }
    add(&r->sum, op->kind);
    return repeated;
}
