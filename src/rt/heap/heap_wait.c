/*
 * heap_wait.c - frees of blocks in which a thread waits for a lock, a condition or a semaphore. A blocked thread
 * may never have its turn, so heap_check.c would not see its use of the freed memory.
 *
 * It depends on the schedule whether the thread has begun to wait when the block is freed (rd_heap_look_waits). If
 * it begins later, it either blocks for ever (rd_heap_look_stuck) or uses the freed memory when its turn comes
 * (rd_heap_look_op). All three are the same bug.
 */
#include "rt/heap/heap.h"

#include "base/text.h"
#include "rt/heap/process_detectors.h"
#include "trace/event.h"

/* The addresses of the objects that a blocked thread waits at, whose memory must stay allocated; 0: no object. */
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

/* Writes a message with the name of an operation. */
static void say(struct rd_finding *f, const char *before, unsigned op, const char *after) {
    struct rd_text t;
    rd_text_init(&t, f->message, sizeof f->message);
    rd_text_str(&t, before);
    rd_text_str(&t, rd_op_name(op));
    rd_text_str(&t, after);
}

/* Reports that the block is freed at pc while this thread waits at an object in it. */
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
            continue; /* if the free is no operation, the pending operation is one that it has performed before */
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
            RD_CHECK(rd_detector_finds(RD_DETECT_HEAP, f.kind));
            say(&f, "", w->threads[t].pending.kind, " in a block that was freed: it waits there for ever");
            o->finding =
                f; /* in the place of the deadlock: the execution cannot go on, so suppressions do not count */
            return;
        }
    }
}
