/*
 * signal.c - signals that threads of the program send each other (pthread_kill, raise, kill of the own process),
 * masks, sigwait, pause. All threads are one kernel thread, so the kernel's masks and queues cannot be used: the
 * model has them (model/signal.c), and rd_signal_run calls the handler on the target's stack when the target goes
 * on. Handlers stay in the kernel's table, from which this file reads them. Signals from other processes come when
 * the kernel sends them; the mask that a thread has set last is in force for these.
 */
#include "rt/process/child_table.h"
#include "rt/call/call.h"
#include "rt/hook/hook.h"
#include "rt/access/shared_access.h"
#include "rt/hook/io/io.h"
#include "rt/hook/time/timing.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LAST = 63 }; /* signals 1 to 63 have a bit in the model; 64, the last real-time signal, is the kernel's */
static_assert((int)LAST == (int)RD_SIGNALS - 1 && RD_SIGNALS <= 64, "signal n is bit n of a word");

uint64_t rd_hook_signal_bits(const sigset_t *set) {
    uint64_t bits = 0;
    for (int sig = 1; sig <= LAST; sig++)
        bits |= (uint64_t)(sigismember(set, sig) == 1) << sig;
    return bits;
}

static void to_set(uint64_t bits, sigset_t *set) {
    sigemptyset(set);
    for (int sig = 1; sig <= LAST; sig++)
        if (bits >> sig & 1)
            sigaddset(set, sig);
}

/* A signal that was sent and not taken yet, with its siginfo; the list is in the order of sending. */
struct sent_signal {
    rd_tid to; /* RD_TID_NONE: the process */
    int sig, code;
    union sigval value;
    struct sent_signal *next;
};
static struct sent_signal *sent;

/*
 * Notes the siginfo of a signal that was sent. A signal that is pending already is not queued, unless it is
 * real-time.
 */
static void note(rd_tid to, int sig, int code, union sigval value) {
    const struct rd_world *w = &rd_rt.engine.world;
    RD_CHECK(sig > 0 && sig <= LAST && (to == RD_TID_NONE || to < w->count));
    uint64_t waiting = to == RD_TID_NONE ? w->signals : w->threads[to].signals;
    struct sent_signal **end = &sent;
    for (; *end; end = &(*end)->next)
        if ((*end)->to == to && (*end)->sig == sig && sig < RD_SIGNAL_QUEUED)
            return;
    if (!(waiting >> sig & 1))
        return; /* the thread has ended */
    rd_rt_enter();
    *end = rd_arena_alloc(&rd_rt.arena, sizeof **end);
    **end = (struct sent_signal){to, sig, code, value, NULL};
    rd_rt_leave();
}

/* Takes the oldest noted signal of this kind off the list, into *info; false: none is noted. */
static bool find_sent(rd_tid to, int sig, siginfo_t *info) {
    for (struct sent_signal **s = &sent; *s; s = &(*s)->next)
        if ((*s)->to == to && (*s)->sig == sig) {
            info->si_code = (*s)->code;
            info->si_value = (*s)->value;
            *s = (*s)->next;
            return true;
        }
    return false;
}

void rd_hook_signal_info(int sig, siginfo_t *info) {
    memset(info, 0, sizeof *info);
    info->si_signo = sig;
    info->si_code = SI_TKILL;
    if (!find_sent(rd_self->tid, sig, info))
        find_sent(RD_TID_NONE, sig, info);
    info->si_pid = RD_PID;
    info->si_uid = getuid();
}

static uint64_t mask_now(void) { return rd_rt.engine.world.threads[rd_self->tid].signals_off; }

static void set_mask(uint64_t bits) {
    uint64_t never = (uint64_t)1 << SIGKILL | (uint64_t)1 << SIGSTOP;
    rd_rt_instant((struct rd_op){.kind = RD_OP_SIGNAL_MASK, .arg = bits & ~never});
}

/*
 * The program's action for a signal: a handler, none, or a default action of the kernel that ends or stops the
 * process.
 */
enum meaning { HANDLER, NOTHING, DEFAULT };

static enum meaning meaning_of(int sig, struct sigaction *a) {
    if (sig > LAST || rd_signal_action(sig, a) != 0)
        return DEFAULT;
    if (a->sa_handler == SIG_IGN)
        return NOTHING;
    bool harmless = sig == SIGCHLD || sig == SIGURG || sig == SIGWINCH || sig == SIGCONT;
    if (rd_finding_is_default(a))
        return harmless ? NOTHING : DEFAULT;
    return sig == SIGSYS && (rd_rt.snapshot || rd_rt.traps) ? DEFAULT : HANDLER;
}

/*
 * Takes the default action: a finding where the kernel would end the program, a refusal where it would stop it.
 * `pc` is the return address of a call; pc - 1, inside the call, is the place of the crash.
 */
static _Noreturn void by_default(int sig, rd_place pc) {
    rd_rt_enter();
    if (sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU)
        rd_rt_refuse(
            "the program stops itself with a signal, and nothing in it can make it go on; test it without");
    struct rd_finding f = {.kind = RD_CRASH, .tid = rd_self->tid, .signal = sig, .pc = pc - 1};
    f.key = rd_hash2(rd_hash2(RD_CRASH, (uint64_t)sig), f.pc);
    rd_rt_found(&f);
}

void rd_signal_run(int sig) {
    struct sigaction a;
    RD_CHECK(sig > 0 && sig <= LAST && rd_rt_active());
    enum meaning m = meaning_of(sig, &a);
    if (m == NOTHING)
        return;
    if (m == DEFAULT) /* the signal was pending while it was blocked */
        by_default(sig, rd_rt.engine.world.threads[rd_self->tid].pending.pc);
    uint64_t before = mask_now();
    uint64_t self = a.sa_flags & SA_NODEFER ? 0 : (uint64_t)1 << sig;
    set_mask(before | rd_hook_signal_bits(&a.sa_mask) | self);
    if (a.sa_flags & SA_RESETHAND)
        rd_signal_reset(sig);
    int saved = errno;
    siginfo_t info;
    uint64_t via = rd_self->via_pc;
    rd_self->via_pc = 0;
    rd_call_handler_begin();
    rd_sharing_all();
    rd_hook_signal_info(sig, &info);
    if (sig == SIGCHLD)
        rd_sigchld_info(&info);
    if (a.sa_flags & SA_SIGINFO)
        a.sa_sigaction(sig, &info, NULL);
    else
        a.sa_handler(sig);
    rd_call_handler_end();
    rd_self->via_pc = via;
    errno = saved;
    set_mask(before);
}

/*
 * signal(7): sleeps and poll() fail with EINTR after a handler; other calls restart if the handler has SA_RESTART.
 */
bool rd_signal_restarts(int sig, unsigned op) {
    struct sigaction a;
    if (op == RD_OP_SLEEP || op == RD_OP_IO_POLL)
        return false;
    return rd_signal_action(sig, &a) == 0 && (a.sa_flags & SA_RESTART);
}

bool rd_signal_blocked(int sig) {
    const struct rd_world *w = &rd_rt.engine.world;
    for (uint32_t i = 0; i < w->count; i++)
        if (w->threads[i].state == RD_T_READY && !(w->threads[i].signals_off >> sig & 1))
            return false;
    return true;
}

/* Sends a signal to a thread, or with RD_TID_NONE to the process. Returns 0 or an errno value. */
static int send_value(rd_tid to, int sig, int code, union sigval value, uint64_t pc) {
    const struct rd_world *w = &rd_rt.engine.world;
    if (sig < 0 || sig > SIGRTMAX)
        return EINVAL;
    bool waits =
        sig <= LAST && (to == RD_TID_NONE ? rd_signal_blocked(sig) : w->threads[to].signals_off >> sig & 1);
    struct sigaction unused;
    enum meaning m = sig == 0 ? NOTHING : meaning_of(sig, &unused);
    struct rd_op op = {.kind = RD_OP_SIGNAL_SEND, .arg = to, .pc = pc};
    op.size = (uint32_t)sig;
    if (sig == 0 || (m != HANDLER && !waits)) {
        op.kind = RD_OP_YIELD; /* a point, but the signal changes no state */
        rd_rt_op(op);
        if (m == DEFAULT)
            by_default(sig, rd_place_code(pc));
        return 0;
    }
    int error = rd_rt_op(op).error;
    if (!error)
        note(to, sig, code, value);
    return error;
}

void rd_signal_comes(rd_tid to, int sig, int code, union sigval value) {
    struct rd_world *w = &rd_rt.engine.world;
    uint64_t *signals = to == RD_TID_NONE ? &w->signals : to < w->count ? &w->threads[to].signals : NULL;
    if (!signals || sig > LAST || *signals >> sig & 1)
        return;
    *signals |= (uint64_t)1 << sig;
    note(to, sig, code, value);
}

static int send_to(rd_tid to, int sig, uint64_t pc) {
    return send_value(to, sig, to == RD_TID_NONE ? SI_USER : SI_TKILL, (union sigval){0}, pc);
}

int rd_hook_kill_thread(const struct rd_vthread *v, int sig, uint64_t pc) { return send_to(v->tid, sig, pc); }

/* Delivers the pending signals that the calling thread does not block, before its call returns. */
static void deliver(uint64_t pc) {
    while (rd_rt.threaded && rd_model_signal(&rd_rt.engine.world, rd_self->tid))
        rd_rt_op((struct rd_op){.kind = RD_OP_TESTCANCEL, .addr = (uintptr_t)rd_self, .pc = pc});
}

RD_EXPORT int pthread_kill(pthread_t t, int sig) {
    if (!rd_rt_active())
        return RD_REAL(pthread_kill)(t, sig);
    struct rd_vthread *v = rd_vthread_of(t);
    int error = v ? send_to(v->tid, sig, RD_PC()) : ESRCH;
    if (v == rd_self)
        deliver(RD_PC()); /* POSIX: a signal to the calling thread is delivered before the call returns */
    return error;
}

RD_EXPORT int pthread_sigqueue(pthread_t t, int sig, const union sigval value) {
    if (!rd_rt_active())
        return RD_REAL(pthread_sigqueue)(t, sig, value);
    struct rd_vthread *v = rd_vthread_of(t);
    int error = v ? send_value(v->tid, sig, SI_QUEUE, value, RD_PC()) : ESRCH;
    if (v == rd_self)
        deliver(RD_PC());
    return error;
}

int rd_hook_queue_self(int sig, union sigval value, uint64_t pc) {
    int error = send_value(RD_TID_NONE, sig, SI_QUEUE, value, pc);
    deliver(pc);
    if (error)
        errno = error;
    return error ? -1 : 0;
}

RD_EXPORT int raise(int sig) {
    if (!rd_rt_active() || !rd_rt.threaded)
        return RD_REAL(raise)(sig);
    int error = send_to(rd_self->tid, sig, RD_PC());
    deliver(RD_PC());
    if (error)
        errno = error;
    return error ? -1 : 0;
}

int rd_hook_kill_self(int sig, uint64_t pc) {
    int error = send_to(RD_TID_NONE, sig, pc);
    deliver(pc);
    if (error)
        errno = error;
    return error ? -1 : 0;
}

/* Gives the kernel thread the mask of the calling thread, for signals from other processes. */
static int real_mask(void) {
    sigset_t real;
    to_set(mask_now(), &real);
    if (rd_rt.engine.world.signals_outside)
        sigdelset(&real, SIGCHLD); /* the model has SIGCHLD pending while it is blocked */
    for (int i = 0; i < 8; i++) {  /* never blocked: signals whose default action is a finding, the watchdog's */
        static const int findings[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP, 0};
        sigdelset(&real, findings[i] ? findings[i] : RD_WATCHDOG_SIGNAL);
    }
    return RD_REAL(pthread_sigmask)(SIG_SETMASK, &real, NULL);
}

static int change_mask(int how, const sigset_t *set, sigset_t *old) {
    uint64_t now = mask_now();
    if (old)
        to_set(now, old);
    if (!set)
        return 0;
    uint64_t given = rd_hook_signal_bits(set);
    if (how == SIG_BLOCK)
        set_mask(now | given);
    else if (how == SIG_UNBLOCK)
        set_mask(now & ~given);
    else if (how == SIG_SETMASK)
        set_mask(given);
    else
        return EINVAL;
    return real_mask();
}

void rd_hook_mask_lend(sigset_t *before) {
    sigset_t own;
    to_set(mask_now(), &own);
    RD_REAL(pthread_sigmask)(SIG_SETMASK, &own, before);
}

RD_EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) {
    if (!rd_rt_active())
        return RD_REAL(pthread_sigmask)(how, set, old);
    int error = change_mask(how, set, old);
    if (!error)
        deliver(RD_PC());
    return error;
}

RD_EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old) {
    if (!rd_rt_active())
        return RD_REAL(sigprocmask)(how, set, old);
    int error = change_mask(how, set, old);
    if (error) {
        errno = error;
        return -1;
    }
    deliver(RD_PC());
    return 0;
}

static struct rd_result wait_for(const sigset_t *set, uint64_t deadline, uint64_t pc) {
    struct rd_op op = {.kind = RD_OP_SIGNAL_WAIT, .addr = (uintptr_t)&rd_rt.engine.world.signals, .pc = pc};
    op.arg = rd_hook_signal_bits(set);
    op.deadline = deadline;
    struct rd_result r = rd_rt_op(op);
    RD_CHECK(r.error || (r.value <= LAST && op.arg >> r.value & 1)); /* the thread has taken one of these signals */
    return r;
}

RD_EXPORT int sigwait(const sigset_t *set, int *sig) {
    if (!rd_rt_active() || !rd_rt.threaded)
        return RD_REAL(sigwait)(set, sig);
    struct rd_result r = wait_for(set, 0, RD_PC());
    siginfo_t unused;
    if (!r.error)
        rd_hook_signal_info((int)r.value, &unused);
    rd_hook_result(sig, sizeof *sig, RD_PC());
    *sig = (int)r.value;
    return r.error;
}

static int wait_info(const sigset_t *set, siginfo_t *info, uint64_t deadline, uint64_t pc) {
    struct rd_result r = wait_for(set, deadline, pc);
    if (r.error) {
        errno = r.error == ETIMEDOUT ? EAGAIN : r.error;
        return -1;
    }
    siginfo_t unused;
    rd_hook_result(info, sizeof *info, pc);
    rd_hook_signal_info((int)r.value, info ? info : &unused);
    if (info && info->si_signo == SIGCHLD)
        rd_sigchld_info(info);
    return (int)r.value;
}

RD_EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info) {
    if (!rd_rt_active() || !rd_rt.threaded)
        return RD_REAL(sigwaitinfo)(set, info);
    return wait_info(set, info, 0, RD_IO_PC());
}

RD_EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout) {
    if (!rd_rt_active() || !rd_rt.threaded)
        return RD_REAL(sigtimedwait)(set, info, timeout);
    return wait_info(set, info, rd_deadline_in(rd_timespec_ns(timeout)), RD_IO_PC());
}

/* pause() for the program's call at `pc`. */
static int pause_with(uint64_t pc) {
    rd_rt_op((struct rd_op){.kind = RD_OP_SIGNAL_PAUSE, .pc = pc});
    errno = EINTR;
    return -1;
}

RD_EXPORT int sigsuspend(const sigset_t *set) {
    if (!rd_rt_active() || !rd_rt.threaded)
        return RD_REAL(sigsuspend)(set);
    uint64_t before = mask_now();
    set_mask(rd_hook_signal_bits(set));
    pause_with(RD_PC());
    set_mask(before);
    errno = EINTR;
    return -1;
}

uint64_t rd_hook_mask(const sigset_t *set) {
    uint64_t before = mask_now();
    int saved = errno;
    set_mask(rd_hook_signal_bits(set));
    errno = saved;
    return before;
}

uint64_t rd_hook_mask_more(uint64_t bits) {
    uint64_t before = mask_now();
    set_mask(before | bits);
    return before;
}

void rd_hook_mask_back(uint64_t bits, uint64_t pc) {
    set_mask(bits);
    real_mask();
    deliver(pc);
}

void rd_hook_unmask(uint64_t before) {
    int saved = errno;
    set_mask(before);
    errno = saved;
}

RD_EXPORT int pause(void) { return rd_rt_active() && rd_rt.threaded ? pause_with(RD_IO_PC()) : RD_REAL(pause)(); }

RD_EXPORT int sigpending(sigset_t *set) {
    if (!rd_rt_active() || !rd_rt.threaded)
        return RD_REAL(sigpending)(set);
    const struct rd_world *w = &rd_rt.engine.world;
    to_set((w->threads[rd_self->tid].signals | w->signals) & mask_now(), set);
    return 0;
}
