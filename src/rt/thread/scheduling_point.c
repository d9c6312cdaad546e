/*
 * scheduling_point.c - the meeting of the program and the engine. A thread announces its pending operation, the
 * engine chooses a thread, the backend passes control to that thread, and the model performs the operation when the
 * engine has chosen the thread that announced it.
 */
#include "rt/thread/scheduling_point.h"

#include "rt/access/patch.h"
#include "rt/access/shared_access.h"
#include "rt/access/silent_store.h"
#include "rt/address/place_of_address.h"
#include "rt/call/call.h"
#include "rt/debugger.h"
#include "rt/end_execution.h"
#include "rt/heap/program_heap.h"
#include "rt/hook/called_by_runtime.h"
#include "rt/inside.h"
#include "rt/isolate/kept.h"
#include "rt/raw.h"
#include "rt/stack/local_state.h"
#include "rt/stack/stack_parts.h"
#include "rt/state.h"
#include "rt/thread/vthread.h"
#include "trace/place.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

bool rd_rt_peek(uint64_t addr, uint32_t size, uint64_t *value) {
    if (size == 0 || size > 8)
        return false;
    *value = 0;
    struct iovec to = {value, size}, from = {(void *)(uintptr_t)addr, size};
    return rd_raw(SYS_process_vm_readv, (long)rd_raw(SYS_getpid), &to, 1L, &from, 1L, 0L) == (long)size;
}

/* The value that was read or written; of a pointer into the heap the block, too. */
static void keep_value(struct rd_step *s) {
    rd_heap_note_use(&rd_rt.engine.rec, s->value);
    s->value = rd_place_value(s->value);
    s->flags |= RD_STEP_HAS_VALUE;
}

void rd_rt_settle_write(struct rd_vthread *v) {
    struct rd_step *s = v->last_write;
    v->last_write = NULL;
    if (s && rd_rt_peek(v->last_write_addr, s->size, &s->value))
        keep_value(s);
}

/* Detail mode records values and stacks for so many steps at the beginning and at the end of an execution. */
enum { DETAILS = 1 << 15 };

/*
 * Returns whether the execution is in the middle of a very long prefix. There values, and the stack of a thread
 * that goes on, are not recorded: no report shows them, and unwinding stacks and asking the kernel for values would
 * take most of the time.
 */
static bool in_the_middle(void) {
    const struct rd_engine *e = &rd_rt.engine;
    uint32_t at = e->rec.out->prefix_used, all = e->plan.prefix_count;
    return at > DETAILS && all > DETAILS && at < all - DETAILS;
}

/* Returns whether the prefix chooses this thread at the coming point. */
static bool is_next(const struct rd_vthread *v) {
    const struct rd_engine *e = &rd_rt.engine;
    const struct rd_choice *next = &e->rec.prefix[e->rec.out->prefix_used];
    return next->pick == v->tid && !(rd_op_flags(next->op) & RD_F_VALUE);
}

/* Records the stack at the pending operation, which the report shows for a thread that never goes on. */
static void record_stack(struct rd_vthread *v, const struct rd_op *op) {
    const struct rd_record *rec = &rd_rt.engine.rec;
    if (!rec->stacks || rec->threads[v->tid].frames_final)
        return;
    if (in_the_middle() && is_next(v))
        rd_stack_parts_forget(rec, v->tid);
    else
        rd_stack_parts_capture(rec, v->tid);
    rd_stack_parts_note(rec, op->place);
    rd_heap_note_use(rec, op->addr);
    if (rd_access_mode_has_extents(op->order))
        return;
    rd_stack_parts_note(rec, op->place2);
    rd_heap_note_use(rec, op->addr2);
}

static void record_value(struct rd_vthread *v, const struct rd_op *op, struct rd_step *s) {
    const struct rd_record *rec = &rd_rt.engine.rec;
    if (rec->stacks && rec->step_stacks) {
        uint64_t *to = rec->step_stacks[s - rec->steps];
        unsigned n = RD_MIN(rec->threads[v->tid].frames, (unsigned)RD_STEP_STACK);
        memcpy(to, rec->stacks[v->tid], n * sizeof *to);
        memset(to + n, 0, (RD_STEP_STACK - n) * sizeof *to);
    }
    unsigned flags = rd_op_flags(op->kind);
    if (s->flags & RD_STEP_VALUE2 || op->kind == RD_OP_FREE || in_the_middle()) {
        return; /* the step's field has another use; a free has no value */
    } else if (flags & RD_F_WRITES) {
        v->last_write = s;
        v->last_write_addr = op->addr;
    } else if ((flags & RD_F_READS) && rd_rt_peek(op->addr, op->size, &s->value)) {
        keep_value(s);
    }
}

/* Completes the operation with what only the runtime knows. */
static inline void complete(struct rd_op *op) {
    op->silent = rd_self->passed_pc != 0;
    op->place = rd_place_near_object(op->addr);
    if (RD_UNLIKELY(op->addr2 != 0)) {
        if (!rd_access_mode_has_extents(op->order)) /* extents have their places already */
            op->place2 = rd_place_near_object(op->addr2);
    } else {
        op->place2 = 0;
    }
    op->pc = rd_place_near_code(op->pc);
}

static inline bool in_heap(uint64_t addr) { return addr - RD_HEAP_AT < RD_TID_MAX * RD_HEAP_SLOT; }

/* Before each step: makes a deep checkpoint if one is due. */
static inline void keep_if_due(const struct rd_engine *e) {
    const struct rd_deeps *d = &rd_kept()->deeps;
    if (RD_UNLIKELY(d->save_at && e->rec.out->steps >= d->save_at))
        rd_deep_checkpoint_step();
}

static inline void once(const struct rd_op *op, struct rd_result *r) {
    struct rd_vthread *self = rd_self;
    struct rd_engine *e = &rd_rt.engine;
    int saved = errno;
    RD_CHECK(self->inside == 0);
    self->inside = 1;
    if (RD_UNLIKELY(rd_rt.detail)) {
        rd_rt_settle_write(self);
        record_stack(self, op);
    }
    bool yields = rd_op_flags(op->kind) & RD_F_YIELD;
    self->passed = yields ? self->passed + RD_SHARING_YIELD : 0;
    self->passed_pc = yields ? self->passed_pc : 0;
    self->passed_call &= yields;
    RD_ASSERT(rd_rt.threads[self->tid] == self); /* the thread that has the baton */
    rd_engine_announce(e, self->tid, op);
    if (RD_UNLIKELY(e->spin.polls))
        rd_sharing_polls();
    if (rd_rt.snapshot)
        keep_if_due(e);
    rd_tid next = rd_engine_next(e);
    if (RD_UNLIKELY(next == RD_TID_NONE)) {
        rd_heap_look_stuck();
        rd_rt_over();
    }
    RD_ASSERT(next < e->world.count && rd_rt.threads[next]);
    if (next != self->tid) {
        rd_rt.channel->live.running = next;
        rd_rt.backend->pass(self, rd_rt.threads[next]);
    }
    RD_ASSERT(rd_self == self && self->inside == 1); /* the thread has the baton again, on its own stack */
    if (RD_UNLIKELY(in_heap(op->addr) || in_heap(op->addr2)))
        rd_heap_look_op(op);
    if (RD_UNLIKELY(rd_rt.debugged))
        rd_debugger_before_step();
    struct rd_step *step = e->recording ? &e->rec.steps[e->rec.out->steps - 1] : NULL;
    rd_engine_perform(e, self->tid, r);
    if (RD_UNLIKELY(e->rec.out->verdict != RD_RUNNING))
        rd_rt_over();
    if (RD_UNLIKELY(rd_rt.detail) && step)
        record_value(self, op, step);
    self->inside = 0;
    rd_errno_back(saved);
    if (RD_UNLIKELY(r->cancelled))
        rd_vthread_exit(PTHREAD_CANCELED);
}

/*
 * Gives the engine a hash of the memory that the operation and the accesses before it touched: it tells a loop that
 * counts from one that repeats the same state (engine/stall.h).
 */
static void add_content(struct rd_op *op) {
    uint64_t low = 0, high = 0, seen[2];
    bool reads = rd_op_flags(op->kind) & RD_F_READS;
    if (!(rd_op_flags(op->kind) & (RD_F_READS | RD_F_WRITES)) || (reads && !op->local))
        return;
    if (rd_rt_look(op, seen))
        rd_livelock_cycle_content(op, rd_hash2(rd_hash2(seen[0], seen[1]), rd_self->content));
    else if (rd_rt_peek(op->addr, RD_MIN(op->size, 8u), &low) &&
             (op->size <= 8 || rd_rt_peek(op->addr + 8, op->size - 8, &high)))
        rd_livelock_cycle_content(op, rd_hash2(rd_hash2(low, high), rd_self->content));
    else
        op->local = 0;
    rd_self->content = 0;
}

/* Adds an access that is no operation to the thread's content: a loop may count in this memory. */
static void note_content(uint64_t addr, uint32_t size) {
    uint64_t value;
    if (RD_UNLIKELY(rd_rt.engine.stall.content) && rd_rt_peek(addr, RD_MIN(size, 8u), &value))
        rd_self->content = rd_hash2(rd_self->content, value);
}

/*
 * After a step that was only a wait for the operation, or after a signal that came before the operation: runs the
 * signal's handler. Returns whether the operation is announced again.
 */
static bool announces_again(const struct rd_op *op, struct rd_result *r) {
    if (r->again)
        return true;
    if (op->kind == RD_OP_FUTEX_WOKEN)
        r->error = rd_rt_instant((struct rd_op){.kind = RD_OP_FUTEX_LEAVE, .addr = op->addr, .pc = op->pc}).error;
    rd_signal_run(r->signal);
    bool waits = rd_op_flags(op->kind) & RD_F_INTERRUPT;
    if (waits && (op->kind == RD_OP_SIGNAL_PAUSE || op->kind == RD_OP_FUTEX_WOKEN))
        return false;
    if (waits && !rd_signal_restarts(r->signal, op->kind)) {
        r->signal = 0;
        return false;
    }
    return true;
}

/* Replaces addresses in memory that is mapped twice by those in its first mapping, which alone has a name. */
static void name_first(struct rd_op *op) {
    op->addr = rd_mapped_files_first(op->addr);
    if (!rd_access_mode_has_extents(op->order))
        op->addr2 = op->addr2 ? rd_mapped_files_first(op->addr2) : 0;
}

/*
 * Returns whether the operation is an access to memory for which rd_rt_access(), rd_rt_atomic() or free() has
 * looked into the table of shared memory already. A futex call is an operation in any case, and its word was not
 * looked up.
 */
static inline bool is_access(unsigned kind) {
    return kind == RD_OP_READ || kind == RD_OP_WRITE || kind == RD_OP_FREE ||
           (rd_op_flags(kind) & (RD_F_ATOMIC | RD_F_OBJECT)) == RD_F_ATOMIC;
}

/* Returns whether the operation is on a mutex of which the table knows that several threads use it. */
static inline bool is_known_lock(const struct rd_op *op) {
    return op->kind >= RD_OP_MUTEX_LOCK && op->kind <= RD_OP_MUTEX_UNLOCK && !(op->addr >> RD_SHARING_BITS) &&
           *rd_sharing_cell(op->addr) == RD_SHARING_READ_ALL;
}

/*
 * If a signal is due, its handler runs first; then the operation is announced again, unless the signal ended its
 * wait.
 *
 * All operations pass through this one function: after a switch of stacks the processor predicts that the return
 * leads to the caller on the old stack, and with one function that is the same code.
 */
void rd_rt_operate(struct rd_op *op, struct rd_result *r) {
    struct rd_vthread *self = rd_self;
    RD_ASSERT(rd_rt_active() && op->kind != RD_OP_NONE && op->kind < RD_OP_KINDS);
    if (RD_UNLIKELY(rd_mapped_files_twice))
        name_first(op);
    if (RD_UNLIKELY(self->nested) && rd_call_nested(op, r))
        return;
    if (rd_rt.sharing.version && !is_access(op->kind) && !is_known_lock(op))
        rd_sharing_op(op);
    self->inside = 1;
    if (self->store.size)
        rd_rt_settle_store(self);
    if (self->own_stores)
        rd_rt_settle_own(self);
    /* only where every access is seen: a loop that changes memory unseen would look like one that changes none */
    if (self->entry[RD_ENTRY_SP] && rd_rt.threaded && rd_rt.all_accesses && !self->ignore &&
        rd_rt.engine.plan.access_points == RD_ACCESSES_ALL)
        op->local = rd_local_state(op->pc);
    complete(op);
    if (RD_UNLIKELY(rd_rt.engine.stall.content))
        add_content(op);
    self->inside = 0;
    do
        once(op, r);
    while (RD_UNLIKELY(r->again || r->signal) && announces_again(op, r));
}

struct rd_result rd_rt_op(struct rd_op op) {
    struct rd_result r;
    if (op.kind != RD_OP_READ && op.kind != RD_OP_WRITE)
        rd_heap_published();
    uint64_t pc = op.pc;
    if (RD_UNLIKELY(rd_self->called != NULL))
        rd_call_attach(&op);
    rd_rt_operate(&op, &r);
    if (RD_UNLIKELY(rd_access_mode_has_extents(op.order)))
        rd_call_check_heap(&op, pc);
    return r;
}

struct rd_result rd_rt_instant(struct rd_op op) {
    struct rd_result r;
    if (rd_rt.threaded && rd_op_flags(op.kind) & RD_F_POINT)
        return rd_rt_op(op);
    if (RD_UNLIKELY(rd_self->nested) && rd_call_nested(&op, &r))
        return r;
    RD_ASSERT(rd_rt_active() && op.kind < RD_OP_KINDS);
    rd_rt_enter();
    complete(&op);
    rd_heap_object_used(&op);
    rd_engine_instant(&rd_rt.engine, rd_self->tid, &op, &r);
    if (RD_UNLIKELY(rd_rt.engine.rec.out->verdict != RD_RUNNING)) {
        if (rd_rt.detail)
            record_stack(rd_self, &op);
        rd_rt_over();
    }
    rd_rt_leave();
    return r;
}

/*
 * Returns whether all other threads were joined, so that none can interfere any more. It is not enough that they
 * have finished: whether they have depends on the schedule, and equivalent schedules must have the same operations.
 */
static bool alone(void) { return rd_rt.engine.world.unjoined == 0; }

/* Returns whether the access is a point, where the plan makes only some accesses points. */
static bool watched(struct rd_op op) {
    uint64_t pc = op.pc;
    rd_rt_enter();
    complete(&op);
    enum rd_access_action how = rd_engine_access(&rd_rt.engine, rd_self->tid, &op);
    rd_rt_leave();
    unsigned watch = rd_rt.engine.plan.access_points;
    if (how == RD_ACTION_YIELD)
        rd_rt_op((struct rd_op){.kind = RD_OP_YIELD, .pc = pc});
    else if (rd_accesses_selective(watch) && how == RD_ACTION_PROCEED)
        rd_track_passed(pc);
    else if (rd_accesses_selective(watch) && rd_track_touched(pc) && !rd_accesses_after(watch))
        rd_engine_unasked(&rd_rt.engine, rd_self->tid);
    return how == RD_ACTION_ANNOUNCE;
}

/* Returns whether the access is far from all tracked memory, as most are: then it is no point. */
static bool far_away(uint64_t addr, uint32_t size, uint64_t pc) {
    unsigned watch = rd_rt.engine.plan.access_points;
    if (watch == RD_ACCESSES_PROFILE || rd_rt.engine.next_is_point || rd_track_near(addr, size))
        return false;
    if (rd_accesses_selective(watch))
        rd_track_passed(pc);
    else if (rd_engine_untracked(&rd_rt.engine) == RD_ACTION_YIELD)
        rd_rt_op((struct rd_op){.kind = RD_OP_YIELD, .pc = pc});
    return true;
}

/*
 * Handles an access that is not known to be private to the thread; returns whether it was an operation. Not inline,
 * so that private accesses are fast.
 */
static __attribute__((noinline)) bool operates(uint64_t addr, uint32_t size, unsigned kind, uint64_t pc) {
    bool writes = kind != RD_OP_READ;
    if (writes && !(in_heap(addr) && rd_heap_private(addr)))
        rd_heap_published();
    if (rd_self->ignore) {
        if (rd_rt.sharing.version &&
            !alone()) /* no operation, but the table must know that the thread uses the memory */
            rd_sharing_quietly(addr, size, writes);
        return false;
    }
    if (alone()) {
        if (rd_accesses_selective(rd_rt.engine.plan.access_points) && !rd_track_near(addr, size))
            rd_track_passed(pc);
        rd_heap_look(addr, size, kind, pc);
        return false;
    }
    struct rd_op op = {.addr = addr, .size = size, .kind = (uint8_t)kind, .pc = pc};
    struct rd_result r;
    bool point =
        RD_LIKELY(rd_rt.engine.plan.access_points == RD_ACCESSES_ALL) || (!far_away(addr, size, pc) && watched(op));
    if (point)
        rd_rt_operate(&op, &r);
    else
        rd_heap_look(addr, size, kind, pc);
    return point;
}

bool rd_rt_access(uint64_t addr, uint32_t size, unsigned kind, uint64_t pc) {
    if (!rd_rt_active() || !rd_rt.threaded || !rd_rt.all_accesses)
        return false;
    RD_ASSERT(kind == RD_OP_READ || kind == RD_OP_WRITE);
    bool shares = rd_rt.sharing.version && !rd_self->ignore && !alone();
    if (!shares || !rd_sharing_private(addr, size, kind != RD_OP_READ, pc))
        return operates(addr, size, kind, pc);
    note_content(addr, size);
    rd_heap_look(addr, size, kind, pc);
    return false;
}

void rd_rt_idle(uint64_t pc) {
    if (RD_UNLIKELY(rd_accesses_selective(rd_rt.engine.plan.access_points)))
        rd_track_passed(pc);
}

void rd_rt_atomic(uint64_t addr, uint32_t size, unsigned kind, int order, uint64_t pc) {
    if (!rd_rt_active() || !rd_rt.threaded)
        return;
    RD_ASSERT(rd_op_flags(kind) & RD_F_ATOMIC || kind == RD_OP_FENCE);
    bool stores = kind != RD_OP_ATOMIC_LOAD;
    bool passes = alone();
    if (!passes && rd_rt.only_raced)
        rd_sharing_atomic(addr, size, stores);
    else if (!passes && rd_rt.sharing.version)
        passes = rd_sharing_private(addr, size, stores, pc);
    rd_self->passed_by = passes;
    if (passes) {
        note_content(addr, size);
        rd_heap_look(addr, size, kind, pc);
        return;
    }
    struct rd_op op = {.addr = addr, .size = size, .kind = (uint8_t)kind, .order = (uint8_t)order, .pc = pc};
    struct rd_result r;
    rd_heap_published();
    rd_rt_operate(&op, &r);
}

void rd_rt_unchanged(void) {
    if (rd_rt.engine.recording && !alone() && !rd_self->passed_by)
        rd_spin_unchanged(&rd_rt.engine.spin, rd_self->tid);
}

void rd_rt_not_swapped(void) {
    const struct rd_record *r = &rd_rt.engine.rec;
    rd_rt_unchanged();
    if (rd_rt.engine.recording && !alone() && !rd_self->passed_by && r->out->steps &&
        r->steps[r->out->steps - 1].op == RD_OP_ATOMIC_CAS)
        r->steps[r->out->steps - 1].result = 1;
}
