/*
 * call_sync.c - calls of foreign functions that lock, wait or signal, as a rule says (call.h,
 * foreign/sync_rules.h).
 *
 * This file makes the operation in the model, on the object's address, as the hooks in hook/sync do; then it calls
 * the function itself. At that moment the real lock is free, because the model has let no other thread in. So the
 * function does not block, and its data in the object stays consistent for all other functions of the library. If
 * code of the library without rules holds the real lock, the function waits as this library waits, by functions
 * that have hooks.
 *
 * Operations on libc's locks that the function makes inside are part of the rule's operation: the call is *muted*,
 * and they are not made. The rule's operation alone decides which thread may hold the object.
 *
 * A wait on a condition does not call the function. It unlocks the real mutex with the library's own function,
 * waits in the model, and locks the mutex again, also if the thread is cancelled in the wait.
 */
#include "rt/call/call.h"

#include "rt/hook/hook.h"
#include "rt/hook/time/timing.h"

#include <errno.h>
#include <string.h>

enum { NS = 1000000000, REGISTERS = 6 };

/* One call of a function with a rule of synchronisation. */
struct sync_call {
    const struct rd_call_rule *rule;
    const struct rd_sync_rule *is; /* &rule->is */
    const struct rd_callee *callee;
    const struct rd_call_frame *frame;
    const uint64_t *stack; /* the arguments that are not in registers */
    uint64_t pc;
    uint64_t object; /* the address of the lock, condition …; 0: not known yet */
};

typedef uint64_t function(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                          uint64_t);

/* n: from 0 */
static uint64_t argument(const struct sync_call *c, unsigned n) {
    RD_CHECK(n < RD_SYNC_ARGUMENTS);
    return n < REGISTERS ? c->frame->general[n] : c->stack[n - REGISTERS];
}

/* The object's address. result: the function's, if the object is found in it. */
static uint64_t object_at(const struct sync_call *c, const struct rd_sync_object_at *at, uint64_t result) {
    uint64_t value = at->result ? result : argument(c, at->argument);
    if (at->there && value)
        memcpy(&value, (const void *)value, sizeof value);
    return value;
}

/* Calls the function with its arguments: those in registers, and four of the stack. */
static uint64_t call_plainly(const struct sync_call *c) {
    static_assert(RD_SYNC_ARGUMENTS == REGISTERS + 4, "all arguments are passed on");
    const uint64_t *r = c->frame->general, *s = c->stack;
    return ((function *)c->callee->target)(r[0], r[1], r[2], r[3], r[4], r[5], s[0], s[1], s[2], s[3]);
}

/* ---- operations that the function makes inside ---- */

bool rd_call_nested(struct rd_op *op, struct rd_result *r) {
    unsigned k = op->kind;
    RD_CHECK(rd_self->nested);
    bool lock = (k >= RD_OP_MUTEX_INIT && k <= RD_OP_MUTEX_UNLOCK) ||
                (k >= RD_OP_SPIN_LOCK && k <= RD_OP_RWLOCK_UNLOCK) || k == RD_OP_OBJECT_INIT ||
                k == RD_OP_OBJECT_DESTROY;
    if (lock && rd_self->nested >= RD_CALL_MUTED) {
        *r = (struct rd_result){0};
        return true;
    }
    rd_call_forget_left();
    /* the library function goes on after the operation, and it is not known which memory it touches then */
    if (rd_self->nested % RD_CALL_MUTED)
        op->order |= RD_ACCESS_WIDE;
    return false;
}

/* Runs when the call returns, and also when the thread is unwound: it may catch the exception. */
static void unmute(struct rd_vthread **v) { (*v)->nested -= RD_CALL_MUTED; }

static uint64_t call_muted(const struct sync_call *c) {
    __attribute__((cleanup(unmute))) struct rd_vthread *v = rd_self;
    v->nested += RD_CALL_MUTED;
    return call_plainly(c);
}

static void call_with(uint64_t target, uint64_t object) {
    RD_CHECK(target);
    __attribute__((cleanup(unmute))) struct rd_vthread *v = rd_self;
    v->nested += RD_CALL_MUTED;
    ((void (*)(uint64_t))target)(object);
}

/* ---- results ---- */

static bool is_value(const struct rd_sync_value *v, uint64_t result) {
    if (!v->is)
        return false;
    return v->boolean ? (uint8_t)result == (uint8_t)v->number : (uint32_t)result == (uint32_t)v->number;
}

static uint64_t failed(const struct sync_call *c) {
    if (c->is->error)
        errno = c->is->error;
    return (uint64_t)c->is->fail.number;
}

/* The deadline of the call in virtual nanoseconds; 0: none, also for a length of -1 and for times that do not fit.
 */
static uint64_t deadline(const struct sync_call *c) {
    static const uint64_t units[] = {1, 1000, 1000000, NS};
    static_assert(RD_COUNT(units) == RD_SYNC_TIMESPEC, "in the order of enum rd_sync_unit");
    const struct rd_sync_rule *is = c->is;
    RD_CHECK(rd_sync_needs(is->kind) & RD_SYNC_TIME && is->time_unit <= RD_SYNC_TIMESPEC);
    clockid_t clock = is->realtime ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    uint64_t value = argument(c, is->time_at);
    struct timespec at;
    if (is->time_unit == RD_SYNC_TIMESPEC) {
        if (!value)
            return 0;
        memcpy(&at, (const void *)value, sizeof at);
        return is->until ? rd_deadline(clock, &at)
                         : rd_deadline_in((uint64_t)at.tv_sec * NS + (uint64_t)at.tv_nsec);
    }
    uint64_t unit = units[is->time_unit];
    if (value > INT64_MAX / unit || (!is->until && value == UINT32_MAX))
        return 0;
    at = (struct timespec){(time_t)(value * unit / NS), (long)(value * unit % NS)};
    return is->until ? rd_deadline(clock, &at) : rd_deadline_in(value * unit);
}

/* ---- locks ---- */

static struct rd_result operate(const struct sync_call *c, unsigned kind, uint64_t arg, uint64_t until) {
    RD_CHECK(c->object || kind == RD_OP_YIELD);
    return rd_rt_op(
        (struct rd_op){.kind = (uint8_t)kind, .addr = c->object, .arg = arg, .deadline = until, .pc = c->pc});
}

static uint64_t type_of(const struct sync_call *c) {
    return c->is->recursive ? RD_MUTEX_RECURSIVE : RD_MUTEX_NORMAL;
}

/* Locks the object in the model by the operation `lock`, then in fact. If the latter fails, code of the library
 * holds the real lock: the model releases its own by the operation `unlock`. */
static uint64_t lock(const struct sync_call *c, unsigned lock, unsigned unlock, uint64_t arg) {
    RD_CHECK(unlock == RD_OP_MUTEX_UNLOCK || unlock == RD_OP_RWLOCK_UNLOCK);
    bool timed = rd_sync_needs(c->is->kind) & RD_SYNC_TIME;
    int error = operate(c, lock, arg, timed ? deadline(c) : 0).error;
    if (error == EDEADLK)
        rd_hook_misuse("a thread asks for a read-write lock that it holds for writing: it waits for itself", c->pc);
    if (error)
        return failed(c);
    uint64_t result = call_muted(c);
    if (is_value(&c->is->fail, result))
        operate(c, unlock, arg, 0);
    return result;
}

static uint64_t unlock(const struct sync_call *c, unsigned kind, uint64_t arg) {
    operate(c, kind, arg, 0);
    return call_muted(c);
}

/* ---- objects come and go ---- */

/* Initialises or creates the object. */
static uint64_t make(struct sync_call *c, unsigned kind) {
    const struct rd_sync_object_at *at = &c->is->at[0];
    RD_CHECK(rd_sync_needs(c->is->kind) & RD_SYNC_MAKES);
    bool after = at->result || at->there;
    uint64_t result = 0, value = c->is->kind == RD_SYNC_SEM_INIT ? (uint32_t)argument(c, c->is->at[1].argument) : 0;
    if (after)
        result = call_muted(c);
    c->object = object_at(c, at, result);
    if (c->object)
        rd_rt_instant((struct rd_op){.kind = (uint8_t)kind, .addr = c->object, .pc = c->pc});
    if (c->object && c->is->kind == RD_SYNC_SEM_INIT) /* from now on the model counts */
        rd_rt_instant((struct rd_op){.kind = RD_OP_SEM_VALUE, .addr = c->object, .arg = value, .pc = c->pc});
    return after ? result : call_muted(c);
}

static uint64_t destroy(const struct sync_call *c, unsigned kind, uint64_t arg) {
    operate(c, kind, arg, 0);
    return call_muted(c);
}

/* ---- conditions ---- */

/* The call that locks the real mutex after a wait. */
struct relock {
    uint64_t function, mutex;
};

static void relock(const struct relock *r) { call_with(r->function, r->mutex); }

static uint64_t wait_for_signal(const struct sync_call *c) {
    const struct rd_call_rule *r = c->rule;
    RD_CHECK(c->is->kind == RD_SYNC_COND_WAIT || c->is->kind == RD_SYNC_COND_TIMEDWAIT);
    struct rd_op op = {.kind = RD_OP_COND_WAIT, .addr = c->object, .pc = c->pc, .arg = type_of(c)};
    op.addr2 = object_at(c, &c->is->at[1], 0);
    if (!r->lock || !r->unlock)
        rd_rt_refuse(
            "the rule of a condition wait names no functions that lock and unlock its mutex (lock=, unlock=)");
    uint64_t until = rd_sync_needs(c->is->kind) & RD_SYNC_TIME ? deadline(c) : 0;
    if (rd_rt_op(op).error)
        return (uint64_t)c->is->ok.number;
    call_with(r->unlock, op.addr2);
    int error;
    {
        __attribute__((cleanup(relock), unused)) const struct relock back = {r->lock, op.addr2};
        struct rd_op wake = op, lock = {.kind = RD_OP_MUTEX_LOCK, .addr = op.addr2, .pc = op.pc};
        lock.arg = op.arg | RD_MUTEX_RELOCK;
        wake.kind = RD_OP_COND_WAKE;
        wake.deadline = until;
        wake.addr2 = until ? 0 : op.addr2; /* a timed wait ends before the thread has the mutex: see model/cond.c */
        error = rd_rt_op(wake).error;
        if (until || error == ECANCELED)
            rd_rt_op(lock);
    }
    return error ? failed(c) : (uint64_t)c->is->ok.number;
}

static uint64_t notify(const struct sync_call *c, unsigned kind) {
    operate(c, kind, 0, 0);
    return call_muted(c); /* threads in code of the library without rules may wait in fact */
}

/* ---- semaphores ---- */

static uint64_t semaphore(const struct sync_call *c, unsigned kind) {
    RD_CHECK(kind == RD_OP_SEM_WAIT || kind == RD_OP_SEM_TRYWAIT || kind == RD_OP_SEM_POST);
    bool timed = rd_sync_needs(c->is->kind) & RD_SYNC_TIME;
    if (operate(c, kind, 0, timed ? deadline(c) : 0).error)
        return failed(c);
    uint64_t result = call_muted(c);
    if (kind == RD_OP_SEM_TRYWAIT && is_value(&c->is->fail, result))
        operate(c, RD_OP_SEM_POST, 0, 0);
    return result;
}

/* ---- once ---- */

static void end_once(const struct sync_call *c) { operate(c, RD_OP_ONCE_END, 1, 0); }

static uint64_t once(const struct sync_call *c) {
    bool runs = operate(c, RD_OP_ONCE_BEGIN, 0, 0).value;
    uint64_t result = call_plainly(c);
    if (runs)
        end_once(c);
    return result;
}

/* The function's result says whether the caller is to run the initialisation; `fail` is the value for no, by
 * default 0. */
static uint64_t once_enter(const struct sync_call *c) {
    struct rd_sync_value none = {.number = 0, .is = true};
    bool runs = operate(c, RD_OP_ONCE_BEGIN, 0, 0).value;
    uint64_t result = call_muted(c);
    if (runs && is_value(c->is->fail.is ? &c->is->fail : &none, result))
        end_once(c); /* it was done before Raddle took control */
    return result;
}

/* The function stores the value that the inline fast path of other threads reads with an atomic load. */
static uint64_t once_leave(const struct sync_call *c) {
    rd_rt_atomic(c->object, sizeof(void *), RD_OP_ATOMIC_STORE, __ATOMIC_SEQ_CST, c->pc);
    uint64_t result = call_muted(c);
    end_once(c);
    return result;
}

/* ---- order only ---- */

static uint64_t order(const struct sync_call *c, bool releases) {
    bool others = rd_rt.threaded && rd_rt.engine.world.unjoined;
    if (others && releases)
        operate(c, RD_OP_RELEASE, 0, 0);
    rd_call_announce(c->callee, c->frame, c->stack - 1);
    uint64_t result = call_plainly(c);
    if (!releases && rd_rt.threaded && rd_rt.engine.world.unjoined)
        operate(c, RD_OP_ACQUIRE, 0, 0);
    return result;
}

static uint64_t access_atomically(const struct sync_call *c, unsigned kind) {
    RD_CHECK(rd_sync_needs(c->is->kind) & RD_SYNC_SIZE);
    rd_rt_atomic(c->object, c->is->size, kind, __ATOMIC_SEQ_CST, c->pc);
    return call_plainly(c);
}

static uint64_t yield(const struct sync_call *c) {
    operate(c, RD_OP_YIELD, 0, 0);
    return (uint64_t)c->is->ok.number;
}

static uint64_t mutex(struct sync_call *c) {
    RD_CHECK(c->is->kind <= RD_SYNC_MUTEX_UNLOCK);
    switch (c->is->kind) {
    case RD_SYNC_MUTEX_INIT:
        return make(c, RD_OP_MUTEX_INIT);
    case RD_SYNC_MUTEX_DESTROY:
        return destroy(c, RD_OP_MUTEX_DESTROY, 0);
    case RD_SYNC_MUTEX_TRYLOCK:
        return lock(c, RD_OP_MUTEX_TRYLOCK, RD_OP_MUTEX_UNLOCK, type_of(c));
    case RD_SYNC_MUTEX_UNLOCK:
        return unlock(c, RD_OP_MUTEX_UNLOCK, type_of(c));
    default:
        return lock(c, RD_OP_MUTEX_LOCK, RD_OP_MUTEX_UNLOCK, type_of(c));
    }
}

static uint64_t rwlock(struct sync_call *c) {
    RD_CHECK(c->is->kind > RD_SYNC_MUTEX_UNLOCK && c->is->kind <= RD_SYNC_RWLOCK_UNLOCK);
    switch (c->is->kind) {
    case RD_SYNC_RWLOCK_INIT:
        return make(c, RD_OP_OBJECT_INIT);
    case RD_SYNC_RWLOCK_DESTROY:
        return destroy(c, RD_OP_OBJECT_DESTROY, RD_OBJ_RWLOCK);
    case RD_SYNC_RWLOCK_TRYREAD:
        return lock(c, RD_OP_RWLOCK_TRYRDLOCK, RD_OP_RWLOCK_UNLOCK, 0);
    case RD_SYNC_RWLOCK_TRYWRITE:
        return lock(c, RD_OP_RWLOCK_TRYWRLOCK, RD_OP_RWLOCK_UNLOCK, 0);
    case RD_SYNC_RWLOCK_UNLOCK:
        return unlock(c, RD_OP_RWLOCK_UNLOCK, 0);
    case RD_SYNC_RWLOCK_WRITE:
    case RD_SYNC_RWLOCK_TIMEDWRITE:
        return lock(c, RD_OP_RWLOCK_WRLOCK, RD_OP_RWLOCK_UNLOCK, 0);
    default:
        return lock(c, RD_OP_RWLOCK_RDLOCK, RD_OP_RWLOCK_UNLOCK, 0);
    }
}

static uint64_t other(struct sync_call *c) {
    RD_CHECK(c->is->kind > RD_SYNC_RWLOCK_UNLOCK && c->is->kind < RD_SYNC_KINDS);
    switch (c->is->kind) {
    case RD_SYNC_COND_INIT:
        return make(c, RD_OP_COND_INIT);
    case RD_SYNC_COND_DESTROY:
        return destroy(c, RD_OP_COND_DESTROY, 0);
    case RD_SYNC_COND_WAIT:
    case RD_SYNC_COND_TIMEDWAIT:
        return wait_for_signal(c);
    case RD_SYNC_COND_SIGNAL:
        return notify(c, RD_OP_COND_SIGNAL);
    case RD_SYNC_COND_BROADCAST:
        return notify(c, RD_OP_COND_BROADCAST);
    case RD_SYNC_SEM_INIT:
        return make(c, RD_OP_OBJECT_INIT);
    case RD_SYNC_SEM_DESTROY:
        return destroy(c, RD_OP_OBJECT_DESTROY, RD_OBJ_SEM);
    case RD_SYNC_SEM_WAIT:
    case RD_SYNC_SEM_TIMEDWAIT:
        return semaphore(c, RD_OP_SEM_WAIT);
    case RD_SYNC_SEM_TRYWAIT:
        return semaphore(c, RD_OP_SEM_TRYWAIT);
    case RD_SYNC_SEM_POST:
        return semaphore(c, RD_OP_SEM_POST);
    case RD_SYNC_ONCE:
        return once(c);
    case RD_SYNC_ONCE_ENTER:
        return once_enter(c);
    case RD_SYNC_ONCE_LEAVE:
        return once_leave(c);
    case RD_SYNC_THREAD_YIELD:
        return yield(c);
    case RD_SYNC_ATOMIC_LOAD:
        return access_atomically(c, RD_OP_ATOMIC_LOAD);
    case RD_SYNC_ATOMIC_STORE:
        return access_atomically(c, RD_OP_ATOMIC_STORE);
    case RD_SYNC_ATOMIC_RMW:
        return access_atomically(c, RD_OP_ATOMIC_RMW);
    default:
        return order(c, c->is->kind == RD_SYNC_RELEASE);
    }
}

/* pre: the thread is under control, and outside the runtime */
struct rd_call_way rd_call_sync(const struct rd_callee *callee, struct rd_call_frame *frame, const uint64_t *from) {
    struct sync_call c = {.rule = callee->rule,
                          .is = &callee->rule->is,
                          .callee = callee,
                          .frame = frame,
                          .stack = from + 1,
                          .pc = *from};
    unsigned kind = c.is->kind;
    RD_CHECK(callee->class == RD_FUNCTION_SYNC && !(rd_sync_needs(kind) & RD_SYNC_MEMORY));
    if (!(rd_sync_needs(kind) & RD_SYNC_MAKES) && kind != RD_SYNC_THREAD_YIELD) {
        c.object = object_at(&c, &c.is->at[0], 0);
        if (!c.object) /* the function itself decides how to handle a null pointer */
            return (struct rd_call_way){callee->target, 0};
    }
    uint64_t result = kind <= RD_SYNC_MUTEX_UNLOCK    ? mutex(&c)
                      : kind <= RD_SYNC_RWLOCK_UNLOCK ? rwlock(&c)
                                                      : other(&c);
    return (struct rd_call_way){result, 2};
}
