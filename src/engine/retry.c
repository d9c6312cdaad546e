/* retry.c - see retry.h. */
#include "engine/retry.h"

static void add(struct rd_retry_sum *s, unsigned kind) {
    unsigned flags = rd_op_flags(kind);
    switch (kind) {
    case RD_OP_MUTEX_LOCK:
    case RD_OP_SPIN_LOCK:
    case RD_OP_RWLOCK_RDLOCK:
    case RD_OP_RWLOCK_WRLOCK:
        s->locks++;
        break;
    case RD_OP_MUTEX_TRYLOCK:
    case RD_OP_SPIN_TRYLOCK:
    case RD_OP_RWLOCK_TRYRDLOCK:
    case RD_OP_RWLOCK_TRYWRLOCK:
        s->tries++;
        break;
    case RD_OP_MUTEX_UNLOCK:
    case RD_OP_SPIN_UNLOCK:
    case RD_OP_RWLOCK_UNLOCK:
    case RD_OP_SEM_TRYWAIT:
    case RD_OP_FENCE:
        break;
    default:
        s->changes += !(flags & RD_F_YIELD) && (!(flags & RD_F_READS) || flags & RD_F_WRITES);
    }
}

static bool is_more(const struct rd_retry_sum *s, const struct rd_retry_sum *than) {
    return s->changes != than->changes || (s->locks != than->locks && s->tries != than->tries);
}

bool rd_retry_arrives(struct rd_retry *r, rd_tid tid, const struct rd_op *op) {
    if (r->tid != tid) {
        r->tid = tid;
        r->count = 0;
        r->seen = 0;
    }
    bool round = false;
    uint64_t bit = op->local ? 1ull << (op->local & 63) : 0;
    for (uint32_t i = 0; r->seen & bit && i < r->count && !round; i++)
        round = r->at[i].pc == op->pc && r->at[i].local == op->local && is_more(&r->sum, &r->at[i].sum);
    if (r->count == RD_RETRY_KEPT)
        r->count = 0; /* a longer way */
    r->seen |= bit;
    if (bit) {
        r->at[r->count].pc = op->pc;
        r->at[r->count].local = op->local;
        r->at[r->count++].sum = r->sum;
    }
    add(&r->sum, op->kind);
    return round;
}
