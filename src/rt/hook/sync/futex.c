/*
 * futex.c - the futex calls of the program (through syscall.c). The hook checks the arguments as the kernel does;
 * the effects are the model's (model/futex.c). Threads of the program never wait in the kernel. A wake-up goes to
 * the kernel, too, unless it has FUTEX_PRIVATE_FLAG: another process may wait at a word in shared memory.
 *
 * A thread that waits for a wake-up by another process looks like one that waits for ever: see docs/limits.md.
 */
#include "rt/hook/sync/futex.h"

#include "rt/hook/time/timing.h"
#include "rt/raw.h"
#include "rt/isolate/syscall_trap.h"

#include <errno.h>
#include <linux/futex.h>

/* The arguments of a futex call. */
struct futex_call {
    uint32_t *word;
    int op;
    uint32_t value;
    const struct timespec *timeout; /* some operations: a number (val2) */
    uint32_t *word2;
    uint32_t value3;
    uint64_t pc;
};

/*
 * Lets the kernel compare the word, by a FUTEX_CMP_REQUEUE that wakes and moves no waiter: so the result for an
 * invalid address is the kernel's own.
 */
int rd_futex_compare(uint64_t addr, uint32_t expected) {
    return (int)-rd_raw(SYS_futex, addr, FUTEX_CMP_REQUEUE_PRIVATE, 0, 0, addr, expected);
}

static bool aligned(const uint32_t *word) { return (uintptr_t)word % sizeof *word == 0; }

/* An operation on the call's word. */
static struct rd_op on(unsigned kind, const struct futex_call *c, uint64_t arg) {
    RD_CHECK(kind >= RD_OP_FUTEX_WAIT && kind <= RD_OP_FUTEX_LEAVE);
    return (struct rd_op){
        .kind = (uint8_t)kind, .addr = (uintptr_t)c->word, .arg = arg, .pc = c->pc, .order = __ATOMIC_SEQ_CST};
}

static long wait(const struct futex_call *c, uint32_t bitset, bool absolute) {
    const struct timespec *t = c->timeout;
    if (t && !rd_timespec_valid(t))
        return -EINVAL;
    if (bitset == 0 || !aligned(c->word))
        return -EINVAL;
    struct timespec until = t ? *t : (struct timespec){0};
    struct rd_op op = on(RD_OP_FUTEX_WAIT, c, RD_FUTEX_ARG(c->value, bitset));
    op.size = sizeof *c->word;
    for (;;) {
        int error = rd_rt_op(op).error;
        if (error)
            return -error;
        struct rd_op woken = on(RD_OP_FUTEX_WOKEN, c, 0);
        if (t && absolute)
            woken.deadline = rd_deadline(c->op & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, &until);
        else if (t)
            woken.deadline = rd_deadline_in(rd_timespec_ns(&until));
        struct rd_result r = rd_rt_op(woken);
        if (!r.signal)
            return -r.error;
        if (!r.error || t || !rd_signal_restarts(r.signal, RD_OP_FUTEX_WOKEN))
            return -r.error; /* signal(7): a wait with a timeout is not restarted after a handler */
    }
}

/* The kernel wakes one waiter also when the number is less than 1. */
static uint32_t at_least_one(uint32_t n) { return (int32_t)n < 1 ? 1 : n; }

static long wake(const struct futex_call *c, uint32_t bitset) {
    if (bitset == 0 || !aligned(c->word))
        return -EINVAL;
    uint64_t arg = RD_FUTEX_ARG(at_least_one(c->value), bitset);
    long woken = (long)rd_rt_op(on(RD_OP_FUTEX_WAKE, c, arg)).value;
    if (c->op & FUTEX_PRIVATE_FLAG)
        return woken;
    long outside = rd_raw(SYS_futex, c->word, FUTEX_WAKE_BITSET, c->value, 0, 0, bitset);
    return outside < 0 ? outside : woken + outside;
}

static long requeue(const struct futex_call *c, unsigned kind) {
    int32_t wakes = (int32_t)c->value, moves = (int32_t)(uintptr_t)c->timeout;
    if (wakes < 0 || moves < 0 || !aligned(c->word) || !aligned(c->word2))
        return -EINVAL;
    struct rd_op op = on(kind, c, RD_FUTEX_REQUEUE_ARG(c->value3, wakes, moves));
    op.addr2 = (uintptr_t)c->word2;
    op.size = kind == RD_OP_FUTEX_CMP_REQUEUE ? sizeof *c->word : 0;
    struct rd_result r = rd_rt_op(op);
    return r.error ? -r.error : (long)r.value;
}

/*
 * FUTEX_WAKE_OP: 1 if the word's old value asks for the second wake-up, 0 if not, -1: the comparison does not
 * exist.
 */
static int compares(uint32_t how, int32_t old) {
    int32_t than = (int32_t)(how << 20) >> 20;
    switch (how >> 24 & 15) {
    case FUTEX_OP_CMP_EQ:
        return old == than;
    case FUTEX_OP_CMP_NE:
        return old != than;
    case FUTEX_OP_CMP_LT:
        return old < than;
    case FUTEX_OP_CMP_GE:
        return old >= than;
    case FUTEX_OP_CMP_LE:
        return old <= than;
    case FUTEX_OP_CMP_GT:
        return old > than;
    default:
        return -1;
    }
}

/*
 * FUTEX_WAKE_OP: changes word2, wakes waiters at word, and waiters at word2 if its old value passes the comparison.
 */
static long wake_op(const struct futex_call *c) {
    enum { OPERATIONS = 5 };
    if (!aligned(c->word) || !aligned(c->word2))
        return -EINVAL;
    if (compares(c->value3, 0) < 0 || (c->value3 >> 28 & 7) >= OPERATIONS)
        return -ENOSYS;
    if (rd_futex_compare((uintptr_t)c->word2, 0) == EFAULT)
        return -EFAULT;
    struct rd_op op = on(RD_OP_FUTEX_WAKE_OP, c, at_least_one(c->value));
    op.addr = (uintptr_t)c->word2;
    op.addr2 = (uintptr_t)c->word;
    op.size = sizeof *c->word2;
    long woken = (long)rd_rt_op(op).value;
    /* this thread has its turn: the kernel changes the word, and wakes waiters of other processes */
    int32_t old = (int32_t)__atomic_load_n(c->word2, __ATOMIC_SEQ_CST);
    const long a[6] = {(long)c->word, c->op, (long)c->value, (long)c->timeout, (long)c->word2, (long)c->value3};
    long outside = rd_trap_call(SYS_futex, a);
    if (outside < 0)
        return outside;
    RD_CHECK(compares(c->value3, old) >= 0); /* the comparison exists */
    if (compares(c->value3, old)) {
        op = on(RD_OP_FUTEX_WAKE_TOO, c, RD_FUTEX_ARG(at_least_one((uint32_t)(uintptr_t)c->timeout), RD_FUTEX_ANY));
        op.addr = (uintptr_t)c->word2;
        woken += (long)rd_rt_instant(op).value;
    }
    return woken + outside;
}

static _Noreturn void refuse(const char *what) {
    rd_rt_enter();
    rd_rt_refuse(what);
}

long rd_hook_futex(const long a[6], uint64_t pc) {
    struct futex_call c = {.word = (uint32_t *)a[0],
                           .op = (int)a[1],
                           .value = (uint32_t)a[2],
                           .timeout = (const struct timespec *)a[3],
                           .word2 = (uint32_t *)a[4],
                           .value3 = (uint32_t)a[5],
                           .pc = pc};
    int command = c.op & FUTEX_CMD_MASK;
    if ((c.op & FUTEX_CLOCK_REALTIME) && command != FUTEX_WAIT_BITSET && command != FUTEX_WAIT_REQUEUE_PI &&
        command != FUTEX_LOCK_PI2)
        return -ENOSYS;
    switch (command) {
    case FUTEX_WAIT:
        return wait(&c, RD_FUTEX_ANY, false);
    case FUTEX_WAIT_BITSET:
        return wait(&c, c.value3, true);
    case FUTEX_WAKE:
        return wake(&c, RD_FUTEX_ANY);
    case FUTEX_WAKE_BITSET:
        return wake(&c, c.value3);
    case FUTEX_REQUEUE:
        return requeue(&c, RD_OP_FUTEX_REQUEUE);
    case FUTEX_CMP_REQUEUE:
        return requeue(&c, RD_OP_FUTEX_CMP_REQUEUE);
    case FUTEX_WAKE_OP:
        return wake_op(&c);
    case FUTEX_LOCK_PI:
    case FUTEX_LOCK_PI2:
    case FUTEX_UNLOCK_PI:
    case FUTEX_TRYLOCK_PI:
    case FUTEX_WAIT_REQUEUE_PI:
    case FUTEX_CMP_REQUEUE_PI:
        refuse("the program calls syscall(SYS_futex) with priority inheritance, which raddle cannot control; test "
               "it with "
               "a mutex of libc's in its place");
    default:
        return -ENOSYS;
    }
}
