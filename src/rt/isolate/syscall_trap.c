/*
 * syscall_trap.c - see syscall_trap.h. Syscall User Dispatch: while a byte in this process (rd_kept.selector) is
 * set, the kernel raises SIGSYS for every system call that does not come from this library's code, and does not
 * make it. The handler makes the call for the program if it has no lasting effect, or if its effect can be undone;
 * else the execution is unfit for a snapshot, and is run again in a process of its own. A call that is not in the
 * table (syscall_policy.def) makes it unfit, too, so that no unknown effect is carried from one execution into the
 * next.
 */
#include "rt/isolate/syscall_trap.h"

#include "base/text.h"
#include "rt/address/maps.h"
#include "rt/address/place_of_address.h"
#include "rt/call/inline_syscalls.h"
#include "rt/end_execution.h"
#include "rt/isolate/kept.h"
#include "rt/isolate/snapshot.h"
#include "rt/isolate/syscall_trap_fds.h"
#include "rt/libc/libc_functions.h"
#include "rt/raw.h"

#include <errno.h>
#include <linux/prctl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <ucontext.h>

#if defined __x86_64__

/* PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, the si_code SYS_USER_DISPATCH, and the size of a set of signals
 */
enum { DISPATCH = 59, DISPATCH_ON = 1, BY_DISPATCH = 2, SIGSET = 8 };

/* The effect of a system call, in the words of syscall_policy.def. */
enum effect {
    UNKNOWN,
    HARMLESS, /* it has no lasting effect */
    NAMES,    /* it changes a name of a file on disk, which stays so; a path may lead elsewhere then */
    MOVES,    /* it moves data: a file's position or length may change; a file's contents stay with any isolation */
    LOOKS,    /* it looks at an epoll, which remembers that */
    OPENS,    /* it gives a descriptor */
    OPENS_TWO, /* it stores two descriptors */
    CLOSES,    /* it closes a descriptor */
    CONTROLS,  /* it changes the flags of a descriptor, or gives its number to another file */
    CONNECTS,  /* it changes the state of a socket */
    MAPS,      /* it maps memory */
    UNMAPS,    /* it unmaps memory, or changes a mapping */
    GROWS,     /* it moves the end of the data segment */
    ASKS,      /* it asks or sets, depending on its arguments */
    HANDLES,   /* it sets the action of a signal */
    MASKS,     /* it sets the mask of signals */
    RETURNS,   /* it returns from a signal handler */
    ENDS,      /* it ends the process */
    LEAVES,    /* it has an effect that only a process of its own can undo */
    MISSING,   /* it is answered as by a kernel without it: it would complete without any further call */
    STARTS,    /* it starts a process */
};

struct policy {
    uint8_t effect;   /* enum effect */
    const char *name; /* of the call; NULL: it is not in the table */
};

static_assert((int)RD_KEPT_SIGNALS == _NSIG, "an action for each signal of the kernel, which counts from 1");

static const struct policy policies[] = {
#define RD_CALL(name, effect) [SYS_##name] = {effect, #name},
#include "rt/isolate/syscall_policy.def"
#undef RD_CALL
};

static const struct policy *policy_of(long number) {
    static const struct policy unknown = {UNKNOWN, NULL};
    bool known = number >= 0 && number < (long)RD_COUNT(policies) && policies[number].name;
    return known ? &policies[number] : &unknown;
}

bool rd_trap_is_missing(long number) { return policy_of(number)->effect == MISSING; }

void rd_trap_unfit(long number) {
    char why[128];
    struct rd_text t;
    const struct policy *c = policy_of(number);
    RD_ASSERT(rd_snapshot_running());
    if (c->effect == STARTS)
        rd_snapshot_unfit("the program starts another process");
    rd_text_init(&t, why, sizeof why);
    rd_text_str(&t, "the program calls ");
    rd_text_str(&t, c->name ? c->name : "the kernel by the number ");
    if (!c->name)
        rd_text_dec(&t, number);
    rd_text_str(&t, ", which only a process of its own can undo");
    rd_snapshot_unfit(why);
}

/* Returns whether all of this memory was mapped by one call of the execution. */
static bool is_own(const struct rd_kept *k, uint64_t start, uint64_t size) {
    for (uint32_t i = 0; i < k->map_count; i++)
        if (start >= k->map[i].start && start + size <= k->map[i].end)
            return true;
    return false;
}

/* Makes the system call. */
static long make(long number, const long a[6]) {
    return rd_raw_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* mmap(). The mapping is removed after the execution; one that lasts beyond a process is not allowed. */
static long map(struct rd_kept *k, long number, const long a[6]) {
    uint64_t size = ((uint64_t)a[1] + 4095) & ~(uint64_t)4095;
    bool fixed = a[3] & MAP_FIXED, shared = (a[3] & MAP_TYPE) != MAP_PRIVATE;
    bool lasts = shared && (a[2] & PROT_WRITE) && !(a[3] & MAP_ANONYMOUS);
    if (lasts || (fixed && !is_own(k, (uint64_t)a[0], size)) || k->map_count == RD_KEPT_MAPS)
        rd_trap_unfit(number);
    if (shared && !(a[3] & MAP_ANONYMOUS)) /* it may be made writable later */
        rd_trap_fds_write(k, a[4]);
    long r = make(number, a);
    if (r > 0 || r < -4095) {
        k->map[k->map_count].start = (uint64_t)r;
        k->map[k->map_count++].end = (uint64_t)r + size;
    }
    return r;
}

/* A search for the mappings that a piece of memory from before the execution consists of. */
struct piece_search {
    struct rd_kept *kept;
    uint64_t at, end; /* the mappings were found up to `at`; up to `end` they must be */
};

/* For rd_maps_each: notes the mapping's access rights, if it is private, without a file, and the next one. */
static bool note_access(const struct rd_mapping *m, void *to) {
    struct piece_search *q = to;
    struct rd_kept *k = q->kept;
    if (m->end <= q->at)
        return true;
    bool plain = !m->file && !m->shared && !m->path[0];
    if (!plain || m->start > q->at || k->change_count == RD_KEPT_CHANGES)
        return false;
    uint64_t end = RD_MIN(m->end, q->end);
    int32_t access = (m->readable ? PROT_READ : 0) | (m->writable ? PROT_WRITE : 0);
    access |= m->executable ? PROT_EXEC : 0;
    k->change[k->change_count++] = (struct rd_kept_change){.start = q->at, .end = end, .access = access};
    q->at = end;
    return q->at < q->end;
}

/* Notes the access rights of memory from before the execution. Returns false if they could not be put back. */
static bool note_change(struct rd_kept *k, uint64_t start, uint64_t end) {
    for (uint32_t i = 0; i < k->change_count; i++) {
        const struct rd_kept_change *c = &k->change[i];
        if (c->start == start && c->end == end && !c->gone)
            return true;
        if (start < c->end && end > c->start)
            return false;
    }
    struct piece_search q = {k, start, end};
    return rd_maps_each(note_access, &q) && q.at == end;
}

/*
 * munmap(), mprotect() and madvise(). Memory from before the execution that is to be unmapped is only made
 * inaccessible, so that it can be put back.
 */
static long unmap(struct rd_kept *k, long number, const long a[6]) {
    uint64_t start = (uint64_t)a[0], size = ((uint64_t)a[1] + 4095) & ~(uint64_t)4095;
    if (is_own(k, start, (uint64_t)a[1]))
        return make(number, a);
    bool gone = number == SYS_munmap, known = gone || number == SYS_mprotect;
    if (!known || start % 4096 || !size || start < RD_MAPS_AT || !note_change(k, start, start + size))
        rd_trap_unfit(number);
    for (uint32_t i = 0; i < k->change_count; i++)
        k->change[i].gone |= gone && k->change[i].start >= start && k->change[i].end <= start + size;
    return rd_raw(SYS_mprotect, start, size, gone ? (long)PROT_NONE : a[2]);
}

/* Puts back the access rights of memory from before the execution. */
static void change_back(struct rd_kept *k) {
    for (; k->change_count; k->change_count--) {
        const struct rd_kept_change *c = &k->change[k->change_count - 1];
        rd_raw(SYS_mprotect, c->start, c->end - c->start, (long)c->access);
    }
}

/* rt_sigaction(). No handler of the program's may block SIGSYS while it runs, nor may the program have that signal.
 */
static long handle(struct rd_kept *k, const long a[6]) {
    struct rd_kernel_action action;
    if (a[0] == SIGSYS && a[1])
        rd_trap_unfit(SYS_rt_sigaction);
    if (a[0] == SIGSYS && a[2]) /* a program that only asks is told the action before the runtime's own */
        *(struct rd_kernel_action *)a[2] = k->sys;
    if (a[0] == SIGSYS)
        return 0;
    if (!a[1])
        return make(SYS_rt_sigaction, a);
    action = *(const struct rd_kernel_action *)a[1];
    action.mask &= ~((uint64_t)1 << (SIGSYS - 1));
    k->handlers = 1;
    return rd_raw(SYS_rt_sigaction, a[0], &action, a[2], a[3]);
}

/* rt_sigprocmask(). SIGSYS is never blocked. */
static long mask(struct rd_kept *k, const long a[6]) {
    if (!a[1])
        return make(SYS_rt_sigprocmask, a);
    uint64_t set = *(const uint64_t *)a[1] & ~((uint64_t)1 << (SIGSYS - 1));
    k->handlers = 1;
    return rd_raw(SYS_rt_sigprocmask, a[0], &set, a[2], a[3]);
}

/* Returns whether this ioctl(), prlimit64() or prctl() only asks. */
static bool only_asks(long number, const long a[6]) {
    if (number == SYS_ioctl)
        return a[1] == TCGETS || a[1] == FIONREAD || a[1] == TIOCGWINSZ;
    return number == SYS_prlimit64 ? !a[2] : a[0] == PR_GET_NAME;
}

/* Makes the call for the program, notes its effects that are to be undone, and returns the kernel's result. */
static long answer(struct rd_kept *k, long number, const long a[6]) {
    const struct policy *c = policy_of(number);
    k->calls++;
    k->called |= c->effect != ENDS && !rd_trap_fds_counted(k, number, a);
    k->called_ever |= c->effect != ENDS;
    switch ((enum effect)c->effect) {
    case HARMLESS:
        return make(number, a);
    case NAMES:
        k->open.paths = k->open.changed = 1;
        return make(number, a);
    case MOVES:
        k->moved |= !rd_trap_fds_streams(k, number, a);
        rd_trap_fds_move(k, number, a);
        return make(number, a);
    case LOOKS:
        rd_trap_fds_move(k, number, a);
        return make(number, a);
    case OPENS:
        return rd_trap_fds_open(k, number, a);
    case OPENS_TWO:
        return rd_trap_fds_open_two(k, number, a);
    case CLOSES:
        return rd_trap_fds_close(k, number, a);
    case CONTROLS:
        return rd_trap_fds_control(k, number, a);
    case CONNECTS:
        return rd_trap_fds_socket(k, number, a);
    case MAPS:
        return map(k, number, a);
    case UNMAPS:
        return unmap(k, number, a);
    case GROWS:
        if (a[0] && (uint64_t)a[0] < k->brk)
            rd_trap_unfit(number);
        k->grown = 1;
        return make(number, a);
    case ASKS:
        if (number == SYS_prctl && a[0] == PR_SET_NAME)
            k->named = 1;
        else if (number == SYS_ioctl && a[1] == FIONBIO)
            return rd_trap_fds_no_block(k, number, a);
        else if (!only_asks(number, a))
            rd_trap_unfit(number);
        return make(number, a);
    case HANDLES:
        return handle(k, a);
    case MASKS:
        return mask(k, a);
    case MISSING:
        return -ENOSYS;
    case ENDS:
        rd_snapshot_leave((int)(a[0] & 0xff) << 8);
    case RETURNS:
    case UNKNOWN:
    case STARTS:
    case LEAVES:
        rd_trap_unfit(number);
    }
    rd_trap_unfit(number);
}

long rd_trap_call(long number, const long a[6]) {
    struct rd_kept *k = rd_kept();
    return rd_snapshot_running() ? answer(k, number, a) : make(number, a);
}

/*
 * Returns from a signal handler of the program's. libc's code for that makes the call rt_sigreturn, which was
 * caught; here it is made again, from this library's code. `sp` is the stack pointer at the call.
 */
static _Noreturn void return_from(uint64_t sp) {
    __asm__ volatile("movq %0, %%rsp\n\tmovl $15, %%eax\n\tsyscall" : : "r"(sp) : "memory");
    __builtin_unreachable();
}

void rd_trap_on_signal(int sig, siginfo_t *info, void *context);

__attribute__((visibility("hidden"))) void rd_trap_on_signal(int sig, siginfo_t *info, void *context) {
    ucontext_t *u = context;
    greg_t *g = u->uc_mcontext.gregs;
    if (info->si_code != BY_DISPATCH) {
        rd_finding_fatal(sig, info, context);
        return;
    }
    long number = info->si_syscall;
    if (number == SYS_rt_sigreturn && rd_snapshot_running())
        return_from((uint64_t)g[REG_RSP]);
    if (rd_inline_syscalls_catch(u, number))
        return;
    if (!rd_snapshot_running()) {
        rd_inline_syscalls_pass(u, number);
        return;
    }
    const long a[6] = {g[REG_RDI], g[REG_RSI], g[REG_RDX], g[REG_R10], g[REG_R8], g[REG_R9]};
    g[REG_RAX] = answer(rd_kept(), number, a);
}

/*
 * The handler of SIGSYS returns to here: in this library, whose calls are not caught. Unwinders recognise the frame
 * of a handler by exactly these instructions.
 */
__asm__(".text\n"
        ".hidden rd_trap_restorer\n"
        ".globl rd_trap_restorer\n"
        ".type rd_trap_restorer, @function\n"
        "rd_trap_restorer:\n"
        "        movq $15, %rax\n"
        "        syscall\n"
        ".size rd_trap_restorer, .-rd_trap_restorer\n");
void rd_trap_restorer(void);

/* Stands for libc's _exit(). */
static _Noreturn void over(int status) {
    if (rd_snapshot_running())
        rd_snapshot_leave((status & 0xff) << 8);
    for (;;)
        rd_raw(SYS_exit_group, status);
}

/*
 * Every execution ends in libc's _exit(), which libc itself calls, so no hook can stand for it. Its first
 * instructions are overwritten with a jump to over(): then the usual end costs no signal.
 */
static void divert_exit(void) {
    uint8_t jump[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0}; /* mov $…, %rax; jmp *%rax */
    const uint64_t to = (uintptr_t)over, at = (uintptr_t)rd_real._exit, page = at & ~(uint64_t)4095;
    for (unsigned i = 0; i < 8; i++)
        jump[2 + i] = (uint8_t)(to >> 8 * i);
    if (!at || rd_raw(SYS_mprotect, page, 8192L, (long)(PROT_READ | PROT_WRITE | PROT_EXEC)) != 0)
        return; /* then the call is caught, and costs the signal */
    for (unsigned i = 0; i < sizeof jump; i++)
        ((volatile uint8_t *)at)[i] = jump[i];
    rd_raw(SYS_mprotect, page, 8192L, (long)(PROT_READ | PROT_EXEC));
}

/*
 * Returns whether the handler is the program's: not SIG_DFL or SIG_IGN, not in this library, and not libc's for its
 * own two signals, whose handlers always return.
 */
static bool is_foreign(const struct rd_module *own, int sig, uint64_t handler) {
    bool of_libc = sig >= 32 && sig < SIGRTMIN;
    return handler > 1 && !of_libc && (!own || handler < own->start || handler >= own->end);
}

/* Returns the runtime's action of SIGSYS. 0x04000000 is SA_RESTORER. */
static struct rd_kernel_action action(void) {
    return (struct rd_kernel_action){(uintptr_t)rd_trap_on_signal,
                                     SA_SIGINFO | SA_ONSTACK | SA_NODEFER | 0x04000000, (uintptr_t)rd_trap_restorer,
                                     0};
}

bool rd_trap_install(void) {
    const struct rd_kernel_action trap = action();
    return rd_finding_owns(SIGSYS) && rd_raw(SYS_rt_sigaction, SIGSYS, &trap, NULL, SIGSET) == 0;
}

bool rd_trap_begin(char *why, size_t room) {
    struct rd_kept *k = rd_kept();
    const struct rd_module *own = rd_place_own();
    uint64_t sys = (uint64_t)1 << (SIGSYS - 1);
    RD_CHECK(!k->running && !k->selector);
    divert_exit();
    k->brk = (uint64_t)rd_raw(SYS_brk, 0);
    rd_raw(SYS_prctl, PR_GET_NAME, k->name);
    rd_raw(SYS_rt_sigprocmask, SIG_UNBLOCK, &sys, &k->mask, SIGSET);
    k->mask &= ~sys;
    const struct rd_kernel_action trap = action();
    k->handled = 0;
    for (int i = 1; i < RD_KEPT_SIGNALS; i++) {
        rd_raw(SYS_rt_sigaction, i, i == SIGSYS ? &trap : NULL, &k->action[i], SIGSET);
        k->handled |= is_foreign(own, i, k->action[i].handler);
        if (i != SIGSYS && k->action[i].mask & sys) {
            k->action[i].mask &= ~sys;
            rd_raw(SYS_rt_sigaction, i, &k->action[i], NULL, SIGSET);
        }
    }
    k->sys = k->action[SIGSYS];
    k->action[SIGSYS] = trap;
    if (own && rd_raw(SYS_prctl, DISPATCH, DISPATCH_ON, own->start, own->end - own->start, &k->selector) == 0)
        return true;
    rd_text_copy(why, room, "the kernel cannot catch system calls (Syscall User Dispatch, Linux 5.11 or later)");
    return false;
}

void rd_trap_on(void) { __atomic_store_n(&rd_kept()->selector, 1, __ATOMIC_RELAXED); }
void rd_trap_off(void) { __atomic_store_n(&rd_kept()->selector, 0, __ATOMIC_RELAXED); }

void rd_trap_end(void) { rd_raw(SYS_rt_sigaction, SIGSYS, &rd_kept()->sys, NULL, SIGSET); }

void rd_trap_undo(void) {
    struct rd_kept *k = rd_kept();
    RD_ASSERT(!k->running && !k->selector); /* its own calls must not be caught */
    RD_ASSERT(k->map_count <= RD_KEPT_MAPS && k->change_count <= RD_KEPT_CHANGES);
    for (; k->map_count; k->map_count--)
        rd_raw(SYS_munmap, k->map[k->map_count - 1].start,
               k->map[k->map_count - 1].end - k->map[k->map_count - 1].start);
    change_back(k);
    rd_trap_fds_undo(k);
    if (k->named)
        rd_raw(SYS_prctl, PR_SET_NAME, k->name);
    if (k->grown)
        rd_raw(SYS_brk, k->brk);
    for (int i = 1; k->handlers && i < RD_KEPT_SIGNALS; i++)
        rd_raw(SYS_rt_sigaction, i, &k->action[i], NULL, SIGSET);
    if (k->handlers || k->handled)
        rd_raw(SYS_rt_sigprocmask, SIG_SETMASK, &k->mask, NULL, SIGSET);
    k->grown = k->handlers = k->named = 0;
}

#else

bool rd_trap_install(void) { return false; }
bool rd_trap_is_missing(long number) { return number >= SYS_io_uring_setup && number <= SYS_io_uring_register; }

bool rd_trap_begin(char *why, size_t room) {
    rd_text_copy(why, room, "on this kind of processor the kernel cannot catch system calls");
    return false;
}

void rd_trap_on(void) {}
void rd_trap_off(void) {}
void rd_trap_end(void) {}
void rd_trap_undo(void) {}

long rd_trap_call(long number, const long a[6]) { return rd_raw(number, a[0], a[1], a[2], a[3], a[4], a[5]); }

#endif
