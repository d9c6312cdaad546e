/*
 * heap_wait.c - blocks that are freed while a thread waits inside one: for a lock, a condition, a semaphore. What
 * it waits for has no turn at which it could be looked at, since it may never come.
 *
 * Whether the thread has come to its wait when the block is freed is an accident of the schedule. If it comes later
 * it cannot go on any more, or meets the freed memory when it does: all three are the same bug.
 */
#include "rt/heap/heap.h"

#include "base/text.h"
#include "rt/heap/process_detectors.h"
#include "trace/event.h"

/* What the thread waits for, by address, where it is memory of the program that must be there; 0: nothing. */
static void waits_at(const struct rd_world *w, rd_tid tid, uint64_t object[RD_EVENT_OBJECTS]) {
    const struct rd_thread *t = &w->threads[tid];
    object[0] = object[1] = 0;
    if (t->state != RD_T_READY || !rd_event_blocks(t->pending.kind) || rd_model_ready(w, tid))
        return;
    switch (t->pending.kind) {
    case RD_OP_COND_WAKE:
        object[0] = t->waiter.signalled ? 0 : t->pending.addr;
        object[1] = t->waiter.mutex;
        break;
    case RD_OP_MUTEX_LOCK:
    case RD_OP_SPIN_LOCK:
    case RD_OP_RWLOCK_RDLOCK:
    case RD_OP_RWLOCK_WRLOCK:
    case RD_OP_SEM_WAIT:
    case RD_OP_BARRIER_LEAVE:
    case RD_OP_ONCE_BEGIN:
        object[0] = t->pending.addr;
        break;
    default:
        break;
    }
}

static void say(struct rd_finding *f, const char *before, unsigned op, const char *after) {
    struct rd_text t;
    rd_text_init(&t, f->message, sizeof f->message);
    rd_text_str(&t, before);
    rd_text_str(&t, rd_op_name(op));
    rd_text_str(&t, after);
}

static void tell(const struct rd_head *h, rd_tid tid, uint64_t object, uint64_t pc) {
    const struct rd_op *op = &rd_rt.engine.world.threads[tid].pending;
    struct rd_finding f = {.kind = RD_USE_AFTER_FREE, .tid = rd_self->tid, .pc = rd_place_code(pc)};
    f.other_tid = tid;
    f.other_pc = op->pc;
    f.key = rd_hash2(f.kind, f.pc);
    rd_heap_describe(h, (int64_t)(object - (uintptr_t)(h + 1)), &f.heap);
    say(&f, "free() of a block while another thread waits in it (", op->kind, ")");
    rd_process_detector_found(RD_DETECT_HEAP, &f);
}

void rd_heap_look_waits(const struct rd_head *h, uint64_t pc) {
    const struct rd_world *w = &rd_rt.engine.world;
    uint64_t block = (uintptr_t)(h + 1), object[RD_EVENT_OBJECTS];
    if (!rd_rt.threaded || !w->unjoined || rd_heap_private(block))
        return;
    rd_rt_enter();
    for (uint32_t t = 0; t < w->count; t++) {
        if (t == rd_self->tid)
            continue; /* the free may be no operation: what is pending then is what it did before */
        waits_at(w, (rd_tid)t, object);
        for (unsigned i = 0; i < RD_EVENT_OBJECTS; i++)
            if (object[i] && object[i] - block < h->asked)
                tell(h, (rd_tid)t, object[i], pc);
    }
    rd_rt_leave();
}

void rd_heap_look_stuck(void) {
    const struct rd_world *w = &rd_rt.engine.world;
    struct rd_outcome *o = rd_rt.engine.rec.out;
    uint64_t object[RD_EVENT_OBJECTS];
    if (!rd_rt.heap_checks || o->verdict != RD_FOUND || o->finding.kind != RD_DEADLOCK)
        return;
    for (uint32_t t = 0; t < w->count; t++) {
        waits_at(w, (rd_tid)t, object);
        for (unsigned i = 0; i < RD_EVENT_OBJECTS; i++) {
            const struct rd_head *h = object[i] && rd_heap_is_bad(object[i], 1) ? rd_heap_block(object[i]) : NULL;
            if (!h || h->state != RD_BLOCK_FREED)
                continue;
            struct rd_finding f = {.kind = RD_USE_AFTER_FREE, .tid = (rd_tid)t, .other_tid = RD_TID_NONE};
            f.pc = w->threads[t].pending.pc;
            f.key = rd_hash2(f.kind, f.pc);
            rd_heap_describe(h, (int64_t)(object[i] - (uintptr_t)(h + 1)), &f.heap);
            say(&f, "", w->threads[t].pending.kind, " in a block that was freed: it waits there for ever");
            o->finding = f;
            return;
        }
    }
}
