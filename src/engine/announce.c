/* announce.c - a thread publishes its pending operation. */
#include "engine/apply.h"
#include "engine/enabled.h"

static inline uint64_t compute_hash(rd_tid tid, const struct rd_op *op) {
    uint64_t h = rd_hash2((uint64_t)op->kind << 32 | op->size, rd_enabled_stable(op->place));
    return rd_hash2(rd_hash2(h, rd_enabled_stable(op->pc)), tid);
}

/*
 * Returns the hash of a pending operation, which names memory and code by place. Fingerprints are sums of these
 * hashes, and no step can be chosen before its fingerprint is known, so the hashes of recent operations are kept.
 */
static inline uint64_t hash_of(struct rd_engine *e, rd_tid tid, const struct rd_op *op) {
    uint64_t slot = (op->pc + tid) * 0x9e3779b97f4a7c15u >> (64 - RD_ANNOUNCED_BITS);
    struct rd_announced *a = &e->announced[slot];
    if (a->pc == op->pc && a->place == op->place && a->size == op->size && a->tid == tid && a->kind == op->kind &&
        a->hash) {
        RD_ASSERT(a->hash == compute_hash(tid, op));
        return a->hash;
    }
    uint64_t h = compute_hash(tid, op);
    *a = (struct rd_announced){op->place, op->pc, h, op->size, tid, op->kind};
    return h;
}

/*
 * Keeps the compiler from reading two fields by one load. The caller has just written the fields one by one, and a
 * processor delays a load that covers several recent stores until these stores are in the cache.
 */
static inline uint64_t single(uint64_t x) {
    __asm__("" : "+r"(x));
    return x;
}

static inline void copy(struct rd_op *to, const struct rd_op *from) {
    to->addr = single(from->addr);
    to->place = single(from->place);
    to->addr2 = single(from->addr2);
    to->place2 = single(from->place2);
    to->arg = single(from->arg);
    to->pc = single(from->pc);
    to->deadline = single(from->deadline);
    to->local = single(from->local);
    to->size = (uint32_t)single(from->size);
    to->kind = (uint8_t)single(from->kind);
    to->order = (uint8_t)single(from->order);
    to->at_once = (uint8_t)single(from->at_once);
    to->silent = (uint8_t)single(from->silent);
}

/*
 * In an execution that is repeated as a whole: returns whether the next operation of the thread was none that waits
 * for a change. With --points sync a search recognises fewer loops than a replay, which does not know the memory
 * whose silent accesses were checked for races.
 */
static bool went_on(const struct rd_engine *e, rd_tid tid) {
    for (uint32_t i = e->rec.out->prefix_used; i < e->plan.prefix_count; i++) {
        const struct rd_choice *c = &e->rec.prefix[i];
        if (c->pick == tid && !(rd_op_flags(c->op) & RD_F_VALUE))
            return c->op != RD_OP_AWAIT;
    }
    return false;
}

void rd_engine_announce(struct rd_engine *e, rd_tid tid, const struct rd_op *op) {
    struct rd_thread *t = &e->world.threads[tid];
    RD_CHECK(t->state == RD_T_READY);
    RD_ASSERT(tid < e->world.count && rd_op_flags(op->kind) & RD_F_POINT);
    struct rd_op await;
    if (RD_LIKELY(e->recording)) {
        if (!e->rec.out->retried && rd_retry_cycle_arrives(&e->retry, tid, op))
            e->rec.out->retried = e->rec.out->steps;
        if (rd_spin_arrives(&e->spin, tid, op, &await)) {
            if (RD_UNLIKELY(e->strict) && went_on(e, tid))
                rd_spin_goes_on(&e->spin, tid);
            else
                op = &await;
        }
    }
    copy(&t->pending, op);
    t->pending_hash = hash_of(e, tid, op);
    rd_enabled_announced(e, tid, t->pending_hash);
    rd_world_regroup(&e->world, tid);
    e->world.timed |= op->deadline != 0;
    /* 1 is the deadline of a wait until a moment before the start of the execution */
    if (op->deadline && op->deadline <= RD_MAX(e->world.clock.now_ns, (uint64_t)1))
        t->pending.at_once = 1;
    if (op->kind == RD_OP_BARRIER_LEAVE) {
        RD_CHECK(t->barrier_generation != 0);
        t->pending.arg = t->barrier_over ? t->barrier_generation : 0;
    }
    /* a futex wait that may wake by itself is wide; any other one has a memory order in the field `order` */
    bool may_wake = op->kind == RD_OP_FUTEX_WAIT && e->world.spurious_left;
    if (op->deadline || may_wake || !(rd_op_flags(op->kind) & (RD_F_READS | RD_F_WRITES)))
        t->pending.order = rd_engine_access_mode(&e->world, tid, op);
}
