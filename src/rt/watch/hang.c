/*
 * hang.c - see hang.h: decides whether an execution that takes too long shows a bug of the program.
 *
 * It is a finding, a hang, where Raddle sees the code that goes on for ever: the code takes steps, or it computes
 * in a module with hooks, where a thread cannot wait for another one between two operations, except by inline
 * assembly. All else is trouble, because it does not show a bug. A thread that is blocked in a system call waits
 * for an event that Raddle does not schedule. Code without hooks that runs on may poll memory that another thread
 * would write, and the engine does not let that thread run.
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

/* libc's frames are skipped: libc works for its caller. */
rd_place rd_task_state_where(rd_place pc) {
    bool blocked =
        rd_rt.channel->live.stuck.how == RD_TASK_CALL; /* the interrupted instruction is the one after the call */
    uint64_t frames[RD_STACK_MAX];
    uint32_t n = rd_stack_capture(frames, RD_STACK_MAX, true, NULL);
    for (uint32_t i = 0; i < n; i++)
        if (rd_place_module(frames[i]) >= 0 && !rd_unseen_is_libc(frames[i]))
            return i == 0 && blocked ? frames[0] - 1 : frames[i];
    return pc;
}

/*
 * Inline assembly has no hooks, not even in an instrumented module, and may wait or change memory atomically. It is
 * recognised by the bytes of a pause, of a lock prefix, or of an exchange with memory near the interrupted
 * instruction. Where these bytes are part of other instructions, a hang is reported as trouble.
 */

/* Returns whether an instruction that begins with this byte can have a lock prefix. */
static bool is_locked(uint8_t next) {
    return next < 0x50 || next == 0x66 || next == 0x80 || next == 0x81 || next == 0x83 || next == 0x86 ||
           next == 0x87 || next >= 0xf6;
}

/*
 * Returns whether there are such bytes near `at`. `atomics`: the module may have atomic instructions in assembly;
 * for the program itself the driver has found that out.
 */
static bool near_assembly(const struct rd_module *m, uint64_t at, bool atomics) {
    enum { FAR = 64, CLOSE = 16, PAGE = 4096 };
    uint64_t page = at & ~(uint64_t)(PAGE - 1); /* the pages beside this one may not be mapped */
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

/* Returns whether Raddle sees all synchronisation of the code at `pc`: it has hooks, and no inline assembly is
 * near. */
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

/*
 * Returns whether no thread is enabled and the runtime itself waits for input from outside the program; *waiter is
 * a thread that waits for such input.
 */
static bool waits_outside(const struct rd_vthread *v, rd_tid *waiter) {
    const struct rd_world *w = &rd_rt.engine.world;
    if (!v->inside || !rd_rt.engine.rec.out->waited_outside)
        return false;
    for (uint32_t i = 0; i < w->count; i++) {
        *waiter = (rd_tid)i;
        if (rd_io_waits(w, (rd_tid)i))
            return true;
    }
    return false;
}

/*
 * Ends the execution as trouble. The message names the thread and its state; the driver adds in which code `pc` is.
 * `unseen`: bits of enum rd_unseen.
 */
static _Noreturn void refuse(struct rd_text *t, const char *message, rd_place pc, unsigned unseen) {
    struct rd_outcome *o = rd_rt.engine.rec.out;
    RD_CHECK(t->used > 0);
    if (rd_verdict_dropped(&rd_rt.engine)) /* a failed assumption: the thread may wait for what it excludes */
        rd_rt_over();
    o->unseen |= (uint16_t)unseen;
    o->unseen_pc = pc;
    rd_rt_refuse(message);
}

void rd_task_state_refuse(const struct rd_vthread *v, rd_place pc) {
    const struct rd_task_state *s = &rd_rt.channel->live.stuck;
    char message[sizeof rd_rt.engine.rec.out->message];
    struct rd_text t;
    rd_tid tid = v->tid;
    if (waits_outside(v, &tid)) {
        RD_CHECK(tid < rd_rt.engine.world.count);
        begin(&t, message, sizeof message, tid);
        rd_text_str(&t, " waits for input, like every thread, and nothing has come from outside the program; let "
                        "the test make its own input, or raise --max-seconds");
        refuse(&t, message, rd_rt.engine.world.threads[tid].pending.pc, 0);
    }
    if (s->how != RD_TASK_CALL && (s->how != RD_TASK_RUNNING || v->inside || is_seen(pc = rd_task_state_where(pc))))
        return;
    begin(&t, message, sizeof message, tid);
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
