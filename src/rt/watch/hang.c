/*
 * stuck.c - an execution that has taken too long, as the driver's watchdog says: is that a bug of the program's, or
 * is it beyond what can be known?
 *
 * A hang is a finding where the code that goes on for ever is seen: it takes steps, or it computes in a module with
 * hooks, so what it does between two operations cannot be waiting for another thread, unless that is inline
 * assembly. Everything else is trouble. A thread that is blocked by a system call waits for somebody whom nobody
 * here schedules; code without hooks that runs on may read again and again what a thread would write that is not
 * let run. That is no bug that was shown.
 */
#include "rt/watch/hang.h"

#include "base/text.h"
#include "engine/verdict.h"
#include "rt/end_execution.h"
#include "rt/stack/unwind.h"
#include "rt/state.h"
#include "rt/thread/vthread.h"
#include "rt/watch/unseen_activity.h"
#include "trace/place.h"

#include <sys/syscall.h>

/* The innermost place that is the program's or a library's, and not libc's, which works for whoever has called it.
 */
rd_place rd_task_state_where(rd_place pc) {
    bool blocked = rd_rt.channel->live.stuck.how == RD_TASK_CALL; /* at the instruction after its call, not in it */
    uint64_t frames[RD_STACK_MAX];
    uint32_t n = rd_stack_capture(frames, RD_STACK_MAX, true);
    for (uint32_t i = 0; i < n; i++)
        if (rd_place_module(frames[i]) >= 0 && !rd_unseen_is_libc(frames[i]))
            return i == 0 && blocked ? frames[0] - 1 : frames[i];
    return pc;
}

/*
 * Is there inline assembly near that waits, or changes memory atomically? It has no hooks, also in code that has.
 * The bytes of a pause, of a lock prefix, and of an exchange with memory close by tell; where they mean something
 * else, a hang is called trouble.
 */
static bool is_locked(uint8_t next) {
    return next < 0x50 || next == 0x66 || next == 0x80 || next == 0x81 || next == 0x83 || next == 0x86 ||
           next == 0x87 || next >= 0xf6;
}

/* `atomics`: there may be atomic instructions in assembly; the driver has looked at those of the program itself. */
static bool near_assembly(const struct rd_module *m, uint64_t at, bool atomics) {
    enum { FAR = 64, CLOSE = 16, PAGE = 4096 };
    uint64_t page = at & ~(uint64_t)(PAGE - 1); /* what is beside it may not be there */
    uint64_t from = RD_MAX(RD_MAX(m->start, at - FAR), page),
             to = RD_MIN(RD_MIN(m->end, at + FAR), page + PAGE) - 2;
    for (uint64_t i = from; i < to; i++) {
        const uint8_t *b = (const uint8_t *)i;
        bool pauses = b[0] == 0xf3 && b[1] == 0x90, locks = b[0] == 0xf0 && is_locked(b[1]);
        bool exchanges = b[0] == 0x87 && b[1] < 0xc0 && i + CLOSE >= at && i < at + CLOSE;
        if (pauses || (atomics && (locks || exchanges)))
            return true;
    }
    return false;
}

static bool is_seen(rd_place pc) {
    int m = rd_place_module(pc);
    const struct rd_module *in = m >= 0 ? &rd_rt.channel->execution.modules[m] : NULL;
    bool atomics = m != 0 || rd_rt.channel->config.inline_atomics;
    return in && in->instrumented && !near_assembly(in, in->base + rd_place_offset(pc), atomics);
}

static void begin(struct rd_text *t, char *to, size_t room, rd_tid tid) {
    rd_text_init(t, to, room);
    rd_text_str(t, "T");
    rd_text_dec(t, tid);
}

/* Nobody can go on, and what they wait for is not the program's: the scheduler itself is what waits. */
static bool waits_outside(const struct rd_vthread *v, rd_tid *who) {
    const struct rd_world *w = &rd_rt.engine.world;
    if (!v->inside || !rd_rt.engine.rec.out->waited_outside)
        return false;
    for (uint32_t i = 0; i < w->count; i++) {
        *who = (rd_tid)i;
        if (rd_io_waits(w, (rd_tid)i))
            return true;
    }
    return false;
}

/* Ends the execution as trouble: which thread, what it does; the driver says in which code that is. */
static _Noreturn void refuse(struct rd_text *t, const char *message, rd_place pc, unsigned unseen) {
    struct rd_outcome *o = rd_rt.engine.rec.out;
    RD_CHECK(t->used > 0);
    if (rd_verdict_dropped(&rd_rt.engine)) /* whoever goes on for ever may wait for what was assumed */
        rd_rt_over();
    o->unseen |= (uint16_t)unseen;
    o->unseen_pc = pc;
    rd_rt_refuse(message);
}

void rd_task_state_refuse(const struct rd_vthread *v, rd_place pc) {
    const struct rd_task_state *s = &rd_rt.channel->live.stuck;
    char message[sizeof rd_rt.engine.rec.out->message];
    struct rd_text t;
    rd_tid who = v->tid;
    if (waits_outside(v, &who)) {
        begin(&t, message, sizeof message, who);
        rd_text_str(&t, " waits for input, like every thread, and nothing has come from outside the program; let "
                        "the test make its own input, or raise --max-seconds");
        refuse(&t, message, rd_rt.engine.world.threads[who].pending.pc, 0);
    }
    if (s->how != RD_TASK_CALL && (s->how != RD_TASK_RUNNING || v->inside || is_seen(pc = rd_task_state_where(pc))))
        return;
    begin(&t, message, sizeof message, who);
    if (s->how == RD_TASK_CALL) {
        rd_text_str(&t, " is blocked for real in the system call ");
        rd_text_str(&t, s->text);
        rd_text_str(&t, ", which raddle does not schedule; let libc make the call if that code has it inline, or "
                        "raise --max-seconds if it only takes its time");
        refuse(&t, message, rd_task_state_where(pc), s->number == SYS_futex ? RD_UNSEEN_FUTEX : RD_UNSEEN_CALL);
    }
    rd_text_str(&t, " runs without any operation in code that raddle does not see: compile that code "
                    "with 'raddle cc' (inline assembly cannot be), or raise --max-seconds if it only computes");
    refuse(&t, message, pc, RD_UNSEEN_SPIN);
}

void rd_task_state_say(struct rd_finding *f, bool inside) {
    unsigned how = rd_rt.channel->live.stuck.how;
    const char *text = "the execution took too long";
    if (how == RD_TASK_RUNNING && !inside)
        text = "it runs without any operation: a loop without an end, or a long computation";
    else if (how == RD_TASK_BUSY)
        text = "the execution took too long; it goes on, step by step";
    rd_text_copy(f->message, sizeof f->message, text);
}
