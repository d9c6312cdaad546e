/*
 * end_execution.c - see end_execution.h. The outcome is complete in the channel before the process ends, because
 * nothing else of it remains. The signal handlers run on a stack of their own, so a stack overflow is a finding
 * like any other crash.
 *
 * A debugger stops the program at the instruction that raises the signal, and in rd_debugger_stop for all other
 * findings. When the user lets the program go on after such a stop, the handler runs, too: other threads may come
 * before the thread fails (thread/failure_point.h); otherwise the process ends.
 */
#include "rt/end_execution.h"

#include "base/text.h"
#include "engine/verdict.h"
#include "rt/access/race_watch.h"
#include "rt/access/shared_access.h"
#include "rt/address/place_of_address.h"
#include "rt/call/call.h"
#include "rt/debugger.h"
#include "rt/isolate/snapshot.h"
#include "rt/layout.h"
#include "rt/libc/libc_functions.h"
#include "rt/process/child_table.h"
#include "rt/process/standard_streams.h"
#include "rt/raw.h"
#include "rt/thread/failure_point.h"
#include "rt/thread/scheduling_point.h"
#include "rt/stack/unwind.h"
#include "rt/state.h"
#include "rt/thread/vthread.h"
#include "rt/watch/hang.h"
#include "rt/watch/unseen_activity.h"
#include "trace/place.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { SIGNAL_STACK = 256 << 10 };

static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP};

static _Noreturn void gone(void) {
    if (rd_snapshot_running())
        rd_snapshot_leave(0);
    for (;;)
        rd_raw(SYS_exit_group, 0);
}

void rd_rt_finish_outcome(void) {
    rd_race_watch_steps();
    rd_sharing_polled();
    if (rd_rt.detail)
        for (uint32_t i = 0; i < rd_rt.engine.world.count; i++)
            if (rd_rt.threads[i])
                rd_rt_settle_write(rd_rt.threads[i]);
    rd_engine_end(&rd_rt.engine);
    rd_unseen_modules();
    if (!rd_snapshot_running()) { /* the process of a snapshot runs many executions, and traps every system call */
        struct timespec cpu = {0, 0};
        rd_raw(SYS_clock_gettime, (long)CLOCK_PROCESS_CPUTIME_ID, &cpu);
        rd_rt.engine.rec.out->cpu_ns = (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
        rd_unseen_end();
    }
    static_assert(sizeof rd_rt.engine.rec.threads->name == sizeof rd_rt.threads[0]->name, "names are copied whole");
    for (uint32_t i = 0; i < rd_rt.engine.world.count; i++)
        if (rd_rt.threads[i])
            memcpy(rd_rt.engine.rec.threads[i].name, rd_rt.threads[i]->name, sizeof rd_rt.threads[i]->name);
}

/*
 * Refuses the program instead of reporting a deadlock if the process has a thread that no hook created: the threads
 * of the program may wait for that thread, which Raddle does not see.
 */
static void refuse_unseen_deadlock(const struct rd_outcome *o) {
    if (o->verdict == RD_FOUND && o->finding.kind == RD_DEADLOCK && o->unseen & RD_UNSEEN_THREAD)
        rd_rt_refuse("every thread waits, perhaps for one that was not made by pthread_create() or thrd_create(), "
                     "which raddle cannot control");
}

void rd_rt_over(void) {
    rd_rt.ending = true;
    rd_rt_finish_outcome();
    refuse_unseen_deadlock(rd_rt.engine.rec.out);
    unsigned verdict = rd_rt.engine.rec.out->verdict; /* with RD_CUT the driver finds the finding in the record */
    if (rd_rt.debugged && (verdict == RD_FOUND || verdict == RD_CUT || verdict == RD_DIVERGED))
        rd_debugger_stop_for(verdict == RD_DIVERGED ? RD_DEBUGGER_DIVERGED : RD_DEBUGGER_FINDING);
    rd_child_kill_all();
    rd_standard_streams_flush(); /* last: the process may crash here if the program has destroyed its streams */
    gone();
}

void rd_rt_found(const struct rd_finding *f) {
    struct rd_outcome *o = rd_rt.engine.rec.out;
    rd_self->inside = 1;
    o->finding = *f;
    if (rd_rt.detail && rd_rt.engine.rec.stacks && !rd_rt.engine.rec.threads[f->tid].frames_final) {
        struct rd_thread_info *info = &rd_rt.engine.rec.threads[f->tid];
        info->frames = (uint16_t)rd_stack_capture(rd_rt.engine.rec.stacks[f->tid], RD_STACK_MAX, false, NULL);
    }
    rd_rt.engine.world.threads[f->tid].pending.kind = RD_OP_NONE; /* it was running, not waiting */
    o->verdict = RD_FOUND;
    rd_rt_over();
}

void rd_rt_refuse(const char *reason) {
    struct rd_outcome *o = rd_rt.engine.rec.out;
    rd_text_copy(o->message, sizeof o->message, reason);
    o->verdict = RD_REFUSED;
    rd_rt.ending = true;
    if (rd_rt.debugged)
        rd_debugger_stop_for(RD_DEBUGGER_REFUSED);
    rd_child_kill_all();
    gone();
}

static uint64_t interrupted_pc(const ucontext_t *u) {
#if defined(__x86_64__)
    return (uint64_t)u->uc_mcontext.gregs[REG_RIP];
#else
    return u->uc_mcontext.pc;
#endif
}

/*
 * Returns `pc`, or the call before it if `pc` is where a bad function pointer led: there is neither code nor unwind
 * information. Then the interrupted context is set back to the call, for the unwinder, too, which reads the context
 * from the signal's frame.
 */
static uint64_t back_to_call(ucontext_t *u, uint64_t pc) {
    if (rd_place_region(rd_place_code(pc)) != RD_PLACE_OTHER && pc != 0)
        return pc;
    uint64_t from;
#if defined(__x86_64__)
    if (!rd_rt_peek((uint64_t)u->uc_mcontext.gregs[REG_RSP], sizeof from, &from) ||
        rd_place_module(rd_place_code(from)) < 0)
        return pc;
    u->uc_mcontext.gregs[REG_RIP] = (greg_t)(from - 1);
    u->uc_mcontext.gregs[REG_RSP] += 8;
    return from - 1;
#else
    from = u->uc_mcontext.regs[30];
    if (rd_place_module(rd_place_code(from)) < 0)
        return pc;
    u->uc_mcontext.pc = from - 4;
    return from - 4;
#endif
}

/*
 * Bytes around the low end of a stack in which a fault counts as a stack overflow: below it, the guard and what a
 * large frame may skip; above it, the last part of the stack.
 */
enum { STACK_BEYOND = 1 << 20, STACK_END = 1 << 16 };
static_assert(RD_STACK_MAX <= UINT16_MAX, "rd_thread_info.frames counts all frames of a stack");

static void on_fatal(int sig, siginfo_t *info, void *context);

/*
 * Records the stack of the thread that the signal interrupted. A crash inside the runtime is the program's bug as
 * well: it passed a bad pointer to a hook.
 */
static void interrupted_stack(struct rd_finding *f) {
    const struct rd_record *rec = &rd_rt.engine.rec;
    if (!rec->stacks)
        return;
    struct rd_thread_info *info = &rec->threads[f->tid];
    uint64_t *frames = rec->stacks[f->tid];
    frames[0] = f->kind == RD_CRASH ? f->pc + 1 : f->pc;
    info->frames = 1;
    info->frames_final = 1;
    uint64_t all[RD_STACK_MAX];
    uint32_t n = rd_stack_capture(all, RD_STACK_MAX, true, NULL);
    if (n == 0)
        return;
    memcpy(frames, all, n * sizeof *all);
    if (f->kind == RD_HANG)
        frames[0] = all[0] == f->pc + 1 ? f->pc : all[0];
    info->frames = (uint16_t)n;
}

/* Returns whether the address is at the low end of the thread's stack. */
static bool beyond_stack(const struct rd_vthread *v, uint64_t address) {
    void *low = v->stack_low, *top;
    if (v->tid == 0)
        rd_place_main_bounds(&low, &top);
    return address - ((uintptr_t)low - STACK_BEYOND) < STACK_BEYOND + STACK_END;
}

/*
 * Makes the finding a stack overflow. The call that reaches the end of the stack first may be another one when the
 * execution records more (detail), so the finding's key does not contain the code location. If the runtime's code
 * has reached the end, the location is that of the program's last operation or access.
 */
static void stack_overflow(struct rd_finding *f) {
    const struct rd_thread *t = &rd_rt.engine.world.threads[f->tid];
    int m = rd_place_module(f->pc);
    const struct rd_vthread *v = rd_rt.threads[f->tid];
    if (m >= 0 && rd_place_of((uintptr_t)on_fatal) >> 48 == f->pc >> 48 && t->pending.pc)
        f->pc = v && v->passed_pc ? rd_place_code(v->passed_pc) : t->pending.pc;
    f->key = rd_hash2(rd_hash2(RD_CRASH, (uint64_t)f->signal), rd_hash2(STACK_BEYOND, f->tid));
    rd_text_copy(f->message, sizeof f->message, "stack overflow");
}

static void on_fatal(int sig, siginfo_t *info, void *context) {
    static int nested;
    struct rd_vthread *v = rd_self;
    if (!rd_rt.on || rd_rt.ending || !v || (rd_rt.snapshot && !rd_kept()->running)) {
        signal(sig, SIG_DFL);
        return;
    }
    rd_stack_fault();
    rd_call_fault();
    if (sig == SIGSEGV && rd_snapshot_is_arena_end((uintptr_t)info->si_addr))
        rd_snapshot_arena();
    if (nested++) /* this handler has crashed: the outcome in the channel stays as it is */
        gone();
    struct rd_outcome *o = rd_rt.engine.rec.out;
    bool inside = v->inside;
    v->inside = 1;
    uint64_t pc = back_to_call(context, interrupted_pc(context));
    struct rd_finding f = {.kind = RD_CRASH, .tid = v->tid, .signal = sig, .pc = rd_place_of(pc)};
    bool has_address = sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL;
    f.fault_addr = has_address ? (uintptr_t)info->si_addr : 0;
    f.key = rd_hash2(rd_hash2(RD_CRASH, (uint64_t)sig), f.pc);
    if ((sig == SIGSEGV || sig == SIGBUS) && beyond_stack(v, f.fault_addr))
        stack_overflow(&f);
    o->finding = f;
    o->verdict = RD_FOUND; /* even if what follows goes wrong */
    bool waits = rd_failure_point_of_crash(&f, pc, context, inside);
    rd_rt.engine.world.threads[f.tid].pending.kind = RD_OP_NONE;
    if (!waits)
        rd_engine_end(&rd_rt.engine);
    interrupted_stack(&f);
    if (!waits && rd_rt.debugged) { /* the debugger has shown the fault */
        rd_rt_finish_outcome();
        rd_raw(SYS_exit_group, 128L + sig);
    }
    if (waits) {
        rd_failure_point_after_signal(context);
        o->verdict = RD_RUNNING;
        v->inside = 0;
        nested--;
        return;
    }
    rd_rt_found(&f);
}

void rd_finding_fatal(int sig, siginfo_t *info, void *context) { on_fatal(sig, info, context); }

/*
 * Gives up this execution because the search is to stop. Returns if this process is the explorer and runs no
 * execution.
 */
static void give_up(uint64_t pc) {
    if (rd_rt.channel->live.explorer_pid == (int32_t)rd_raw(SYS_getpid) && !rd_snapshot_running())
        return;
    if (!rd_rt.channel->result.summary.executions) /* none has ended: it is told where this one was */
        rd_rt.engine.rec.out->unseen_pc = rd_task_state_where(rd_place_of(pc));
    rd_rt.engine.rec.out->verdict = RD_GIVEN_UP;
    rd_rt_over();
}

/* The handler of the signal that the driver's watchdog sends: this execution has taken too long. */
static void on_watchdog(int sig, siginfo_t *info, void *context) {
    (void)info;
    struct rd_vthread *v = rd_self;
    struct rd_vthread *running = rd_rt.threads[rd_rt.channel->live.running];
    if (!rd_rt.on || rd_rt.ending || !running || (rd_rt.snapshot && !rd_kept()->running))
        return;
    if (v != running) { /* kernel backend: the kernel chose a thread that waits for the baton */
        rd_raw(SYS_tgkill, (long)rd_raw(SYS_getpid), (long)running->kernel_tid, (long)sig);
        return;
    }
    bool inside = v->inside;
    uint64_t pc = interrupted_pc(context);
    if (rd_rt.channel->live.stuck.how != RD_TASK_CALL)
        pc++; /* a report looks up the byte before: here the instruction itself, else the system call before pc */
    if (rd_rt.channel->live.abandoned) {
        give_up(pc);
        return;
    }
    struct rd_outcome *o = rd_rt.engine.rec.out;
    struct rd_finding f = {.kind = RD_HANG, .tid = v->tid, .pc = rd_place_of(pc), .key = rd_hash2(RD_HANG, 1)};
    f.status = RD_HANG_BY_TIME;
    f.other_tid = RD_TID_NONE;
    rd_task_state_refuse(v, f.pc);
    v->inside = 1;
    rd_task_state_say(&f, inside);
    if (rd_verdict_dropped(&rd_rt.engine)) /* a failed assumption: the thread may wait for what it excludes */
        rd_rt_over();
    o->finding = f;
    o->verdict = RD_FOUND;
    interrupted_stack(&f);
    rd_rt_found(&f);
}

bool rd_finding_owns(int sig) {
    struct sigaction now;
    if (RD_REAL(sigaction)(sig, NULL, &now) != 0)
        return true;
    return now.sa_sigaction == on_fatal || (sig == SIGSYS && (rd_rt.snapshot || rd_rt.traps)) ||
           now.sa_handler == SIG_DFL;
}

static void handle(int sig, void (*handler)(int, siginfo_t *, void *)) {
    struct sigaction a = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    struct sigaction old;
    sigemptyset(&a.sa_mask);
    if (RD_REAL(sigaction)(sig, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
        RD_REAL(sigaction)(sig, &a, NULL);
}

void rd_finding_default(int sig) {
    struct sigaction standard = {.sa_handler = SIG_DFL};
    RD_REAL(sigaction)(sig, &standard, NULL);
    handle(sig, on_fatal);
}

bool rd_finding_is_default(const struct sigaction *a) {
    return a->sa_handler == SIG_DFL || a->sa_sigaction == on_fatal || a->sa_sigaction == on_watchdog;
}

/* The signal stack is at the low end of the thread's slot; the thread's own stack grows down from the top. */
void rd_finding_thread(rd_tid tid) {
    static_assert(SIGNAL_STACK < RD_STACK_SLOT / 2, "the upper half of a slot is for a stack of the standard size");
    RD_CHECK(tid < RD_TID_MAX);
    void *memory = mmap((void *)(RD_STACKS_AT + tid * RD_STACK_SLOT), SIGNAL_STACK, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (memory != MAP_FAILED) {
        stack_t s = {.ss_sp = memory, .ss_size = SIGNAL_STACK};
        RD_REAL(sigaltstack)(&s, NULL);
    }
}

void rd_finding_init(void) {
    rd_finding_thread(0);
    for (unsigned i = 0; i < RD_COUNT(fatal); i++)
        if (fatal[i] != SIGTRAP || !rd_rt.channel->config.debugger) /* breakpoints are the debugger's */
            handle(fatal[i], on_fatal);
    if (!rd_rt.channel->config.debugger)
        handle(RD_WATCHDOG_SIGNAL, on_watchdog);
}
