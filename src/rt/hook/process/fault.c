/*
 * fault.c - the program's handlers of faults: SIGSEGV and the other signals that an instruction causes. While such
 * a handler runs, the kernel would block the signal in its thread; but all threads of the program are one kernel
 * thread, and a fault in another of them would be fatal. So the kernel is told to block no signal (SA_NODEFER), and
 * the mask in the model decides whether the signal may come. If it is blocked there, for example because a handler
 * faults itself, the kernel would end the program: that is a finding.
 */
#include "rt/hook/process/fault.h"

#include "rt/call/call.h"

#include <errno.h>

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
static struct sigaction wanted[32]; /* by signal: the program's action, while on_fault is in the kernel's table */

static_assert(SIGSEGV < 32 && SIGBUS < 32 && SIGFPE < 32 && SIGILL < 32 && SIGTRAP < 32, "they have a place");

bool rd_fault_is_one(int sig) {
    for (unsigned i = 0; i < RD_COUNT(faults); i++)
        if (faults[i] == sig)
            return true;
    return false;
}

/* Calls the handler of an action. */
static void call(const struct sigaction *a, int sig, siginfo_t *info, void *context) {
    if (a->sa_flags & SA_SIGINFO)
        a->sa_sigaction(sig, info, context);
    else
        a->sa_handler(sig);
}

static void on_fault(int sig, siginfo_t *info, void *context) {
    struct sigaction a = wanted[sig];
    int saved = errno;
    rd_call_fault();
    if (!rd_rt.on || !rd_hook_on()) { /* one thread, or the fault is in the runtime, at a pointer of the program */
        call(&a, sig, info, context);
    } else if (rd_rt.engine.world.threads[rd_self->tid].signals_off >> sig & 1) {
        rd_finding_fatal(sig, info, context);
    } else {
        uint64_t self = a.sa_flags & SA_NODEFER ? 0 : (uint64_t)1 << sig;
        uint64_t before = rd_hook_mask_more(rd_hook_signal_bits(&a.sa_mask) | self);
        if (a.sa_flags & SA_RESETHAND)
            rd_signal_reset(sig);
        call(&a, sig, info, context);
        rd_hook_unmask(before);
    }
    errno = saved;
}

int rd_fault_action(int sig, const struct sigaction *act, struct sigaction *old) {
    RD_CHECK(rd_fault_is_one(sig));
    struct sigaction own, before;
    if (act)
        own = *act;
    bool handler = act && act->sa_handler != SIG_DFL && act->sa_handler != SIG_IGN;
    if (handler) {
        own.sa_sigaction = on_fault;
        own.sa_flags = (act->sa_flags & ~(int)SA_RESETHAND) | SA_SIGINFO | SA_NODEFER;
        sigemptyset(&own.sa_mask);
    }
    int r = RD_REAL(sigaction)(sig, act ? &own : NULL, &before);
    if (r != 0)
        return r;
    if (act && act->sa_handler == SIG_DFL)
        rd_finding_default(sig);
    if (rd_finding_is_default(&before))
        before = (struct sigaction){.sa_handler = SIG_DFL};
    if (old)
        *old = before.sa_sigaction == on_fault ? wanted[sig] : before;
    if (handler)
        wanted[sig] = *act;
    return 0;
}

enum { LEAST = 2048, AUTODISARM = INT32_MIN }; /* the kernel's MINSIGSTKSZ and SS_AUTODISARM (bit 31) */

static int stack_error(const stack_t *s) {
    bool off = s->ss_flags & SS_DISABLE;
    if (s->ss_flags & ~((int)SS_DISABLE | (int)AUTODISARM))
        return EINVAL;
    return !off && s->ss_size < LEAST ? ENOMEM : 0;
}

/*
 * Handlers with SA_ONSTACK run on the runtime's alternate stack, which is large enough for most: the kernel would
 * have one alternate stack for all virtual threads. The stack that a thread sets is only noted, for the next query.
 */
RD_EXPORT int sigaltstack(const stack_t *to, stack_t *old) {
    if (!rd_rt_active())
        return RD_REAL(sigaltstack)(to, old);
    stack_t before = {.ss_flags = SS_DISABLE};
    int error = to ? stack_error(to) : 0;
    if (error) {
        errno = error;
        return -1;
    }
    if (rd_self->alternate)
        before = *rd_self->alternate;
    if (to && !rd_self->alternate)
        rd_self->alternate = rd_arena_alloc(&rd_rt.arena, sizeof *to);
    if (to)
        *rd_self->alternate = to->ss_flags & SS_DISABLE ? (stack_t){.ss_flags = SS_DISABLE} : *to;
    if (old)
        *old = before;
    return 0;
}
