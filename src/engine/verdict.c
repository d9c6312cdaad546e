/* verdict.c - findings that the engine itself makes: hang, deadlock, misuse. */
#include "engine/verdict.h"

#include "base/text.h"

/* Reports a livelock: the last `length` steps are a cycle that repeats. */
static void report_livelock(struct rd_engine *e, uint32_t length) {
    struct rd_outcome *o = e->rec.out;
    uint64_t key = RD_LIVELOCK;
    RD_CHECK(length > 0 && length <= o->steps);
    const struct rd_step *first = &e->rec.steps[o->steps - length];
    for (uint32_t i = o->steps - length; i < o->steps; i++) {
        const struct rd_step *s = &e->rec.steps[i];
        key += rd_mix(rd_hash2(s->op, s->pc));
        if (s->tid < first->tid || (s->tid == first->tid && s->pc < first->pc))
            first = s;
    }
    o->finding = (struct rd_finding){.kind = RD_LIVELOCK, .tid = first->tid, .pc = first->pc, .key = rd_mix(key)};
    o->finding.step = o->steps;
    o->finding.other_step = o->steps - length + 1;
}

bool rd_verdict_cycle(struct rd_engine *e) {
    uint32_t length = rd_livelock_cycle_length(e);
    if (!length) {
        rd_livelock_cycle_later(e);
        return false;
    }
    RD_CHECK(e->rec.out->verdict == RD_RUNNING);
    e->rec.out->verdict = RD_FOUND;
    report_livelock(e, length);
    return true;
}

/*
 * If the execution makes no progress it would never end: that is a livelock if it repeats a cycle, else a hang.
 * Otherwise it is only known to be long: it is cut here, and the steps that would follow are not explored.
 */
void rd_verdict_limit(struct rd_engine *e) {
    struct rd_outcome *o = e->rec.out;
    RD_CHECK(o->verdict == RD_RUNNING);
    uint32_t length = rd_livelock_cycle_length(e);
    if (!length && !rd_stall_is_certain(&e->stall)) {
        o->verdict = RD_CUT;
        o->limited = 1;
        return;
    }
    o->verdict = RD_FOUND;
    o->finding = (struct rd_finding){.kind = RD_HANG, .tid = e->current};
    o->finding.pc = e->world.threads[e->current].pending.pc;
    o->finding.key = rd_hash2(RD_HANG, 0);
    if (length)
        report_livelock(e, length);
}

/*
 * A thread whose assumption does not hold stops at its operation, and the others go on to their end: partial-order
 * reduction must see their operations, too. The execution is dropped only then.
 */
bool rd_verdict_dropped(struct rd_engine *e) {
    for (uint32_t t = 0; t < e->world.count; t++) {
        if (e->world.threads[t].state == RD_T_READY && e->world.threads[t].pending.kind == RD_OP_ASSUME) {
            e->rec.out->verdict = RD_DROPPED;
            return true;
        }
    }
    return false;
}

/* Returns the thread for which a blocked thread waits: the holder of a lock, or the thread to be joined. */
static rd_tid waits_for(const struct rd_engine *e, rd_tid tid) {
    const struct rd_op *op = &e->world.threads[tid].pending;
    const struct rd_model *m = &rd_models[op->kind];
    const struct rd_mutex *held = m->waits_for ? m->waits_for(&e->world, tid, op) : NULL;
    if (held)
        return held->owner;
    return op->kind == RD_OP_JOIN && op->arg < e->world.count ? (rd_tid)op->arg : RD_TID_NONE;
}

/*
 * Returns the thread that a report of a deadlock names: one of a cycle of threads that wait for each other; if
 * there is none, the end of a chain, which waits for an event that no particular thread can cause.
 */
static rd_tid culprit(const struct rd_engine *e) {
    rd_tid end = RD_TID_NONE;
    for (uint32_t t = 0; t < e->world.count; t++) {
        if (e->world.threads[t].state != RD_T_READY)
            continue;
        rd_tid at = (rd_tid)t;
        for (uint32_t hops = 0; hops <= e->world.count; hops++) {
            rd_tid next = waits_for(e, at);
            if (next == t)
                return next;
            if (next == RD_TID_NONE || e->world.threads[next].state != RD_T_READY)
                break;
            at = next;
        }
        if (end == RD_TID_NONE)
            end = at;
    }
    return end;
}

/* Returns a thread whose pending operation is AWAIT, or RD_TID_NONE. */
static rd_tid find_waiting_loop(const struct rd_engine *e) {
    for (uint32_t t = 0; t < e->world.count; t++)
        if (e->world.threads[t].state == RD_T_READY && e->world.threads[t].pending.kind == RD_OP_AWAIT)
            return (rd_tid)t;
    return RD_TID_NONE;
}

void rd_verdict_deadlock(struct rd_engine *e) {
    struct rd_outcome *o = e->rec.out;
    rd_tid waiting = find_waiting_loop(e);
    enum rd_finding_kind kind = waiting == RD_TID_NONE ? RD_DEADLOCK : RD_LIVELOCK;
    uint64_t key = kind;
    for (uint32_t t = 0; t < e->world.count; t++)
        if (e->world.threads[t].state == RD_T_READY)
            key += rd_mix(rd_hash2(e->world.threads[t].pending.kind, e->world.threads[t].pending.pc));
    rd_tid tid = kind == RD_LIVELOCK ? waiting : culprit(e);
    RD_CHECK(o->verdict == RD_RUNNING && tid < e->world.count && e->world.threads[tid].state == RD_T_READY);
    o->verdict = RD_FOUND;
    o->finding = (struct rd_finding){.kind = kind, .tid = tid, .key = key};
    o->finding.pc = e->world.threads[tid].pending.pc;
}

void rd_verdict_misuse(struct rd_engine *e, rd_tid tid, const struct rd_op *op, const struct rd_result *r) {
    struct rd_outcome *o = e->rec.out;
    struct rd_finding *f = &o->finding;
    RD_CHECK(r->misuse_tid == RD_TID_NONE || r->misuse_tid < e->world.count);
    o->verdict = RD_FOUND;
    *f = (struct rd_finding){
        .kind = RD_MISUSE, .tid = tid, .pc = op->pc, .other_tid = r->misuse_tid, .other_pc = r->misuse_pc};
    f->key = rd_hash2(rd_hash2(RD_MISUSE, op->kind), op->pc);
    rd_text_copy(f->message, sizeof f->message, r->misuse);
}
