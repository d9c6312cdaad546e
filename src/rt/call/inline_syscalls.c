/*
 * inline_syscalls.c - see inline_syscalls.h. A system call that ends a thread, waits, wakes, sleeps, reads a clock
 * or uses a descriptor is an operation, no matter which code makes it: a futex wait by inline assembly uses the
 * same futex as one by libc's syscall(). So this file performs such a call as hook/syscall.c performs a call of
 * syscall(). Calls that come from libc are hooked where the program enters libc, and calls of the dynamic linker
 * are not the program's. All others are caught by Syscall User Dispatch (isolate/syscall_trap.c). A snapshot
 * catches every call. A process of one execution lets calls pass that come from libc, the dynamic linker,
 * libraddle, and the modules that lie between them, because the kernel exempts a single range of code. So a program
 * without such calls is not slowed down. Calls of a library in that range are not caught; if one ends the program,
 * that is still noticed (RD_UNSEEN_END).
 *
 * The handler of SIGSYS cannot wait for its turn, because all handlers run on one stack. So it changes the
 * interrupted registers to a call of `perform`, below the thread's own frame, with a copy of the interrupted
 * context. When the system call is done, `perform` restores that context with sigreturn, as the kernel would at the
 * end of a handler.
 */
#include "rt/call/inline_syscalls.h"

#include "rt/hook/hook.h"
#include "rt/hook/syscall.h"
#include "rt/raw.h"
#include "rt/call/call.h"
#include "rt/rt.h"
#include "rt/isolate/snapshot.h"
#include "rt/isolate/syscall_trap.h"
#include "rt/watch/unseen_activity.h"

#include "trace/place.h"

#include <string.h>

#if defined __x86_64__

enum { DISPATCH = 59, DISPATCH_ON = 1 }; /* PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON */
enum {
    RED_ZONE = 128,
    SYSCALL_SIZE = 2
};                   /* bytes below the stack pointer that the ABI protects; of the instruction */
enum { SIGSET = 8 }; /* bytes of the kernel's mask */
/* The state of the floating-point registers: its size without extensions (FXSAVE); where FP_XSTATE_MAGIC1 is, which
 * says that a size with extensions follows. */
enum { FX_SIZE = 512, FX_WORDS = 464, FX_MAGIC = 0x46505853 };

static uint8_t selector; /* 1: calls are caught (SYSCALL_DISPATCH_FILTER_BLOCK) */

/* How a system call differs from one that hook/syscall.c knows, or that `perform` makes as it is. */
enum {
    EXEC = 1,   /* it replaces the program */
    END = 2,    /* if it succeeds it ends the thread or the program */
    NATIVE = 4, /* it must be made by the program's own instruction: it makes another thread or process go on from
                   there, or concerns the frame of the handler */
};

static const struct {
    uint16_t number;
    uint8_t how;
} special[] = {
    {SYS_execve, EXEC | END},     {SYS_execveat, EXEC | END},  {SYS_exit, END},
    {SYS_exit_group, END},        {SYS_clone, NATIVE},         {SYS_clone3, NATIVE},
    {SYS_fork, NATIVE},           {SYS_vfork, NATIVE},         {SYS_rt_sigreturn, NATIVE},
    {SYS_rt_sigprocmask, NATIVE}, {SYS_rt_sigsuspend, NATIVE}, {SYS_sigaltstack, NATIVE},
};

/* Returns whether the system call has one of these properties. */
static bool is(long number, unsigned how) {
    for (unsigned i = 0; i < RD_COUNT(special); i++)
        if (special[i].number == number)
            return special[i].how & how;
    return false;
}

extern void *__tls_get_addr(void *); /* of the dynamic linker */

static bool is_linker(rd_place pc) {
    return rd_place_module(pc) == rd_place_module(rd_place_of((uint64_t)(uintptr_t)__tls_get_addr));
}

/* Restores the context, as at the end of a handler. */
static _Noreturn void put_back(const ucontext_t *u) {
    __asm__ volatile("movq %0, %%rsp\n\tmovl $15, %%eax\n\tsyscall" : : "r"(u) : "memory");
    __builtin_unreachable();
}

/* Makes the operation of the call and the call itself, and goes on behind it. Runs on the thread's own stack. */
static _Noreturn void perform(ucontext_t *u, long number) {
    greg_t *g = u->uc_mcontext.gregs;
    const long a[6] = {g[REG_RDI], g[REG_RSI], g[REG_RDX], g[REG_R10], g[REG_R8], g[REG_R9]};
    uint64_t pc = (uint64_t)g[REG_RIP];
    if (number == SYS_exit_group)
        rd_hook_exit((int)a[0], pc);
    if (number == SYS_exit)
        rd_vthread_quit((int)a[0], pc);
    RD_CHECK(rd_rt_active() && !is(number, NATIVE));
    int saved = errno; /* a system call returns its error in a register, and leaves errno alone */
    if (!is(number, EXEC) && !rd_hook_syscall_has(number)) {
        rd_call_anything(pc, true);
        rd_self->passes_call = true;
        g[REG_RIP] -= SYSCALL_SIZE;
        g[REG_RAX] = number;
        rd_errno_back(saved);
        put_back(u);
    }
    if (!rd_call_is_plain_number((uint64_t)number))
        rd_call_anything(pc, false);
    g[REG_RAX] = is(number, EXEC) ? rd_hook_exec_raw(number, a, pc) : rd_hook_syscall(number, a, pc);
    rd_errno_back(saved);
    /* the kernel's mask belongs to no thread of the program, and others have run meanwhile: it stays as it is */
    rd_raw(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &u->uc_sigmask, (long)SIGSET);
    put_back(u);
}

/* How much the kernel has saved of the floating-point registers. */
static size_t float_size(const char *saved) {
    uint32_t words[2];
    memcpy(words, saved + FX_WORDS, sizeof words);
    return words[0] == FX_MAGIC ? words[1] : FX_SIZE;
}

bool rd_inline_syscalls_catch(ucontext_t *u, long number) {
    greg_t *g = u->uc_mcontext.gregs;
    rd_place pc = rd_place_of((uint64_t)g[REG_RIP]);
    bool unfit = rd_snapshot_running() && is(number, EXEC);
    bool wanted = is(number, END) || rd_hook_syscall_has(number);
    bool touches = !is(number, NATIVE) && !rd_call_is_plain_number((uint64_t)number);
    if (unfit || !rd_hook_on() || rd_unseen_is_libc(pc) || is_linker(pc))
        return false;
    if (rd_self->passes_call) { /* the thread has just made the operation of this call */
        rd_self->passes_call = false;
        return false;
    }
    if (!wanted && !touches)
        return false;
    const char *saved = (const char *)u->uc_mcontext.fpregs;
    size_t size = saved ? float_size(saved) : 0;
    char *sp = (char *)(((uint64_t)g[REG_RSP] - RED_ZONE - size) & ~(uint64_t)63);
    ucontext_t *copy = (ucontext_t *)(((uintptr_t)sp - sizeof *copy) & ~(uintptr_t)63);
    if (size)
        memcpy(sp, saved, size);
    RD_CHECK((uintptr_t)sp % 64 == 0 && (uintptr_t)copy % 64 == 0); /* XRSTOR demands it of the first */
    memcpy(copy, u, sizeof *copy);
    copy->uc_mcontext.fpregs = size ? (fpregset_t)(void *)sp : NULL;
    g[REG_RSP] = (greg_t)((uintptr_t)copy - 8); /* as after a call */
    g[REG_RIP] = (greg_t)(uintptr_t)perform;
    g[REG_RDI] = (greg_t)(uintptr_t)copy;
    g[REG_RSI] = number;
    return true;
}

void rd_inline_syscalls_pass(ucontext_t *u, long number) {
    greg_t *g = u->uc_mcontext.gregs;
    if (is(number, NATIVE)) { /* the program makes it itself; from then on no call is caught */
        selector = 0;
        g[REG_RIP] -= SYSCALL_SIZE;
        g[REG_RAX] = number;
        return;
    }
    if (rd_trap_is_missing(number)) {
        g[REG_RAX] = -ENOSYS;
        return;
    }
    g[REG_RAX] = rd_raw_syscall(number, g[REG_RDI], g[REG_RSI], g[REG_RDX], g[REG_R10], g[REG_R8], g[REG_R9]);
}

/* Extends the range of code to the module that contains the address. */
static void widen(uint64_t *low, uint64_t *high, const void *in) {
    const struct rd_channel *c = rd_rt.channel;
    int m = rd_place_module(rd_place_of((uint64_t)(uintptr_t)in));
    if (m < 0)
        return;
    *low = RD_MIN(*low, c->execution.modules[m].start);
    *high = RD_MAX(*high, c->execution.modules[m].end);
}

static struct { uint64_t start, size; } let; /* the code from which calls are not caught */

static bool arm_thread(void) {
    RD_CHECK(let.size > 0 && (uintptr_t)arm_thread - let.start < let.size);
    return rd_raw(SYS_prctl, DISPATCH, DISPATCH_ON, let.start, let.size, &selector) == 0;
}

void rd_inline_syscalls_arm(void) {
    uint64_t low = UINT64_MAX, high = 0;
    widen(&low, &high, rd_real._exit);
    widen(&low, &high, &rd_rt);
    widen(&low, &high, (const void *)(uintptr_t)__tls_get_addr);
    if (high <= low || !rd_trap_install())
        return;
    let.start = low;
    let.size = high - low;
    rd_rt.traps = arm_thread();
    selector = rd_rt.traps;
}

void rd_inline_syscalls_arm_thread(void) {
    if (rd_rt.traps)
        arm_thread();
}

void rd_inline_syscalls_disarm(void) {
    if (rd_rt.traps)
        selector = 0;
    rd_rt.traps = false;
}

#else

void rd_inline_syscalls_arm(void) {}
void rd_inline_syscalls_arm_thread(void) {}
void rd_inline_syscalls_disarm(void) {}

#endif
