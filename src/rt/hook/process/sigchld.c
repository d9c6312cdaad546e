/*
 * sigchld.c - SIGCHLD, and the hooks of sigaction and signal. The kernel sends SIGCHLD at any moment. While the
 * program has threads, the kernel's signal only sets the bit in the model, as if a thread had sent SIGCHLD to the
 * process, and the model delivers it (signal.c). So the handler runs at an operation of a thread that the schedule
 * chooses, and it sees the program's own numbers of processes.
 */
#include "rt/hook/process/child.h"
#include "rt/hook/process/fault.h"
#include "rt/hook/hook.h"
#include "rt/call/inline_syscalls.h"
#include "rt/raw.h"
#include "rt/hook/time/timer.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

static const uint64_t bit = (uint64_t)1 << SIGCHLD;

static struct sigaction wanted; /* the program's action, if `ours` */
static bool ours;               /* the kernel's table has the action that install() made of `wanted` */
static siginfo_t last;          /* of the last SIGCHLD that was left in the model and not taken; si_signo 0: none */

static bool is_function(const struct sigaction *a) { return a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN; }

/* Returns whether the program can notice a SIGCHLD: it has a handler, or waits for the blocked signal. */
static bool matters(void) { return is_function(&wanted) || rd_signal_blocked(SIGCHLD); }

static void call(const struct sigaction *a, siginfo_t *info, void *context) {
    if (a->sa_flags & SA_RESETHAND)
        wanted.sa_handler = SIG_DFL;
    if (a->sa_flags & SA_SIGINFO)
        a->sa_sigaction(SIGCHLD, info, context);
    else
        a->sa_handler(SIGCHLD);
}

static void on_child(int sig, siginfo_t *info, void *context) {
    (void)sig;
    struct sigaction a = wanted;
    if (!rd_rt.on || !rd_rt.threaded) {
        info->si_pid = rd_pid_remembered(info->si_pid);
        if (is_function(&a))
            call(&a, info, context);
    } else if (matters()) {
        last = *info;
        __atomic_or_fetch(&rd_rt.engine.world.signals, bit, __ATOMIC_RELAXED);
    }
}

/*
 * Installs on_child for the program's action. SIG_IGN is left to the kernel, which then reaps children by itself;
 * so is SIG_DFL while the program has one thread.
 */
static int install(const struct sigaction *a) {
    struct sigaction own = *a;
    if (own.sa_handler != SIG_IGN && (is_function(a) || rd_rt.threaded)) {
        own.sa_sigaction = on_child;
        own.sa_flags = (own.sa_flags & ~(int)SA_RESETHAND) | SA_SIGINFO | (rd_rt.threaded ? SA_RESTART : 0);
    }
    int r = RD_REAL(sigaction)(SIGCHLD, &own, NULL);
    if (r == 0) {
        ours = true;
        wanted = *a;
    }
    return r;
}

int rd_signal_action(int sig, struct sigaction *to) {
    if (rd_fault_is_one(sig))
        return rd_fault_action(sig, NULL, to);
    if (sig != SIGCHLD || !ours)
        return RD_REAL(sigaction)(sig, NULL, to);
    *to = wanted;
    return 0;
}

void rd_signal_reset(int sig) {
    struct sigaction standard = {.sa_handler = SIG_DFL};
    if (sig == SIGCHLD && ours)
        install(&standard);
    else
        RD_REAL(sigaction)(sig, &standard, NULL);
}

RD_EXPORT int sigaction(int sig, const struct sigaction *act, struct sigaction *old) {
    if (sig == SIGCHLD && rd_rt_active()) {
        struct sigaction before;
        int r = rd_signal_action(sig, &before);
        if (r == 0 && act)
            r = install(act);
        if (r == 0 && old)
            *old = before;
        return r;
    }
    if (rd_fault_is_one(sig) && rd_rt_active())
        return rd_fault_action(sig, act, old);
    bool trapped = sig == SIGSYS && rd_rt.traps;
    if (sig == SIGSYS && act)
        rd_inline_syscalls_disarm();
    int r = RD_REAL(sigaction)(sig, act, old);
    if (act && rd_rt_active() && rd_rt.threaded)
        rd_timers_note();
    if (r == 0 && old && old->sa_sigaction == on_child)
        *old = wanted;
    if (r == 0 && old &&
        (trapped || rd_finding_is_default(old))) /* a handler of the runtime: the program has set none */
        *old = (struct sigaction){.sa_handler = SIG_DFL};
    return r;
}

RD_EXPORT sighandler_t signal(int sig, sighandler_t handler) {
    bool trapped = sig == SIGSYS && rd_rt.traps;
    if (sig == SIGSYS)
        rd_inline_syscalls_disarm();
    if ((sig != SIGCHLD && !rd_fault_is_one(sig)) || !rd_rt_active() || handler == SIG_ERR) {
        struct sigaction before = {.sa_handler = RD_REAL(signal)(sig, handler)};
        if (rd_rt_active() && rd_rt.threaded)
            rd_timers_note();
        return trapped || rd_finding_is_default(&before) ? SIG_DFL : before.sa_handler;
    }
    struct sigaction a = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
    sigemptyset(&a.sa_mask);
    sigaddset(&a.sa_mask, sig);
    return sigaction(sig, &a, &old) == 0 ? old.sa_handler : SIG_ERR;
}

/* The kernel must not block SIGCHLD: the model has the threads' masks. */
void rd_sigchld_hold(void) {
    struct sigaction now;
    sigset_t child;
    if (!rd_rt.threaded || rd_signal_action(SIGCHLD, &now) != 0)
        return;
    install(&now);
    rd_io_expect_signals();
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    RD_REAL(pthread_sigmask)(SIG_UNBLOCK, &child, NULL);
}

void rd_sigchld_settle(const struct rd_child *c) {
    struct rd_io_children which = {.type = P_PID, .options = WEXITED, .id = (uint32_t)c->real};
    if (!rd_rt.threaded || wanted.sa_handler == SIG_IGN || !matters())
        return;
    rd_rt.engine.rec.out->waited_outside = 1;
    rd_io_child_settle(&which);
}

void rd_sigchld_info(siginfo_t *info) {
    if (!last.si_signo)
        return;
    *info = last; /* the program's number of the child may not have been known when the signal came */
    info->si_pid = rd_pid_remembered(last.si_pid);
    last.si_signo = 0;
}

bool rd_io_signal_came(void) { return ours && (rd_rt.engine.world.signals & bit); }

/* Returns whether a thread waits for SIGCHLD with sigwait() or the like. */
static bool anybody_waits(void) {
    const struct rd_world *w = &rd_rt.engine.world;
    for (uint32_t i = 0; i < w->count; i++)
        if (w->threads[i].state == RD_T_READY && w->threads[i].pending.kind == RD_OP_SIGNAL_WAIT &&
            (w->threads[i].pending.arg & bit))
            return true;
    return false;
}

bool rd_io_signal_may_come(void) {
    if (!rd_rt.engine.world.signals_outside || rd_io_signal_came() || !(is_function(&wanted) || anybody_waits()))
        return false;
    return rd_child_runs();
}
