/* announce.c - a thread publishes what it is about to do. */
#include "engine/apply.h"
#include "engine/enabled.h"

/* Of what the thread is about to do, by names: one step waits for it before the next can be fingerprinted. */
static inline uint64_t hash_of(struct rd_engine *e, rd_tid tid, const struct rd_op *op) {
    uint64_t at = (op->pc + tid) * 0x9e3779b97f4a7c15u >> (64 - RD_ANNOUNCED_BITS);
    struct rd_announced *a = &e->announced[at];
    if (a->pc == op->pc && a->place == op->place && a->size == op->size && a->tid == tid && a->kind == op->kind &&
        a->hash)
        return a->hash;
    uint64_t h = rd_hash2((uint64_t)op->kind << 32 | op->size, rd_enabled_stable(op->place));
    h = rd_hash2(rd_hash2(h, rd_enabled_stable(op->pc)), tid);
    *a = (struct rd_announced){op->place, op->pc, h, op->size, tid, op->kind};
    return h;
}

/*
 * Read in the pieces in which it was written just now: a processor that is to read several as one waits until they
 * are in its cache.
 */
static inline uint64_t piece(uint64_t x) {
    __asm__("" : "+r"(x));
    return x;
}

static inline void copy(struct rd_op *to, const struct rd_op *from) {
    to->addr = piece(from->addr);
    to->place = piece(from->place);
    to->addr2 = piece(from->addr2);
    to->place2 = piece(from->place2);
    to->arg = piece(from->arg);
    to->pc = piece(from->pc);
    to->deadline = piece(from->deadline);
    to->local = piece(from->local);
    to->size = (uint32_t)piece(from->size);
    to->kind = (uint8_t)piece(from->kind);
    to->order = (uint8_t)piece(from->order);
    to->pad[0] = to->pad[1] = 0;
}

void rd_engine_announce(struct rd_engine *e, rd_tid tid, const struct rd_op *op) {
    struct rd_thread *t = &e->world.threads[tid];
    RD_CHECK(t->state == RD_T_READY);
    struct rd_op await;
    if (RD_LIKELY(e->recording)) {
        if (!e->rec.out->retried && rd_retry_cycle_arrives(&e->retry, tid, op))
            e->rec.out->retried = e->rec.out->steps;
        if (rd_spin_arrives(&e->spin, tid, op, &await))
            op = &await;
    }
    copy(&t->pending, op);
    t->pending_hash = hash_of(e, tid, op);
    rd_enabled_announced(e, tid, t->pending_hash);
    rd_world_regroup(&e->world, tid);
    e->world.timed |= op->deadline != 0;
    if (op->kind == RD_OP_BARRIER_LEAVE)
        t->pending.arg = t->barrier_generation;
    bool may_wake = op->kind == RD_OP_FUTEX_WAIT && e->world.spurious_left; /* else it has a memory order */
    if (op->deadline || may_wake || !(rd_op_flags(op->kind) & (RD_F_READS | RD_F_WRITES)))
        t->pending.order = rd_engine_how(&e->world, tid, op);
}
