/* retry.c - see retry.h. */
#include "engine/retry.h"

static bool only_reads(unsigned kind) {
    unsigned flags = rd_op_flags(kind);
    return flags & RD_F_YIELD || kind == RD_OP_FENCE || (flags & RD_F_READS && !(flags & RD_F_WRITES));
}

bool rd_retry_arrives(struct rd_retry *r, rd_tid tid, const struct rd_op *op) {
    if (r->tid != tid) {
        r->tid = tid;
        r->count = r->changes = 0;
    }
    bool round = false;
    for (uint32_t i = 0; op->local && i < r->count && !round; i++)
        round = r->at[i].pc == op->pc && r->at[i].local == op->local && r->at[i].changes != r->changes;
    if (r->count == RD_RETRY_KEPT)
        r->count = 0; /* a longer way */
    if (op->local) {
        r->at[r->count].pc = op->pc;
        r->at[r->count].local = op->local;
        r->at[r->count++].changes = r->changes;
    }
    r->changes += !only_reads(op->kind);
    return round;
}
