/* barrier.c - interposers for barriers, spin locks and pthread_once. */
#include "rt/hook/hook.h"

#include <errno.h>
#include <string.h>

/* The number of threads of a barrier, the third word of glibc's struct pthread_barrier. */
static uint64_t count_of(const pthread_barrier_t *b) {
    unsigned word[3];
    static_assert(sizeof *b >= sizeof word, "glibc");
    memcpy(word, b, sizeof word);
    return word[2];
}

RD_EXPORT int pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *attr, unsigned count) {
    pthread_barrierattr_t kept; /* a copy: other threads may change *attr until the operation has its turn */
    if (attr)
        kept = *attr;
    rd_hook_object_init(b, RD_PC());
    int r = RD_REAL(pthread_barrier_init)(b, attr ? &kept : NULL, count);
    if (r == 0 && rd_rt_active())
        rd_hook_remade(b, RD_OP_BARRIER_ARRIVE, RD_OP_BARRIER_ARRIVE, count);
    return r;
}

RD_EXPORT int pthread_barrier_destroy(pthread_barrier_t *b) {
    if (!rd_rt_active())
        return RD_REAL(pthread_barrier_destroy)(b);
    rd_hook_object_destroy(RD_OBJ_BARRIER, b, RD_PC());
    return 0;
}

RD_EXPORT int pthread_barrier_wait(pthread_barrier_t *b) {
    if (!rd_rt_active())
        return RD_REAL(pthread_barrier_wait)(b);
    rd_hook_check_object(RD_OBJ_BARRIER, b, RD_PC());
    struct rd_op op = {.kind = RD_OP_BARRIER_ARRIVE, .addr = (uintptr_t)b, .arg = count_of(b), .pc = RD_PC()};
    if (rd_rt_op(op).value)
        return PTHREAD_BARRIER_SERIAL_THREAD;
    op.kind = RD_OP_BARRIER_LEAVE;
    rd_rt_op(op);
    return 0;
}

static int spin(unsigned kind, pthread_spinlock_t *l, uint64_t pc) {
    rd_hook_check_object(RD_OBJ_SPIN, (const void *)l, pc);
    return rd_rt_op((struct rd_op){.kind = (uint8_t)kind, .addr = (uintptr_t)l, .pc = pc}).error;
}

RD_EXPORT int pthread_spin_init(pthread_spinlock_t *l, int shared) {
    rd_hook_object_init((const void *)l, RD_PC());
    return RD_REAL(pthread_spin_init)(l, shared);
}

RD_EXPORT int pthread_spin_destroy(pthread_spinlock_t *l) {
    if (!rd_rt_active())
        return RD_REAL(pthread_spin_destroy)(l);
    rd_hook_object_destroy(RD_OBJ_SPIN, (void *)l, RD_PC());
    return 0;
}

RD_ENTERED(int, pthread_spin_lock, pthread_spinlock_t *l) {
    return rd_rt_active() ? spin(RD_OP_SPIN_LOCK, l, RD_PC()) : RD_REAL(pthread_spin_lock)(l);
}

RD_ENTERED(int, pthread_spin_trylock, pthread_spinlock_t *l) {
    return rd_rt_active() ? spin(RD_OP_SPIN_TRYLOCK, l, RD_PC()) : RD_REAL(pthread_spin_trylock)(l);
}

RD_EXPORT int pthread_spin_unlock(pthread_spinlock_t *l) {
    return rd_rt_active() ? spin(RD_OP_SPIN_UNLOCK, l, RD_PC()) : RD_REAL(pthread_spin_unlock)(l);
}

enum { GLIBC_ONCE_DONE = 2 }; /* glibc's __PTHREAD_ONCE_DONE, a value of pthread_once_t */
static_assert(_Generic((pthread_once_t)0, int : true, default : false), "rd_hook_once takes an int");

/* A routine of pthread_once() that is running. */
struct once_run {
    int *control;
    uint64_t pc;
    bool done; /* it has returned */
};

/* Called when the routine returns, and when an exception or a cancellation leaves it: then the once is not done. */
static void end_once(struct once_run *r) {
    if (r->done)
        __atomic_store_n(r->control, GLIBC_ONCE_DONE, __ATOMIC_RELEASE);
    rd_rt_op((struct rd_op){.kind = RD_OP_ONCE_END, .addr = (uintptr_t)r->control, .arg = r->done, .pc = r->pc});
}

void rd_hook_once(int *control, void (*routine)(void), uint64_t pc) {
    struct rd_op op = {.kind = RD_OP_ONCE_BEGIN, .addr = (uintptr_t)control, .pc = pc};
    struct rd_world *w = &rd_rt.engine.world;
    const struct rd_object *o = rd_world_find(w, op.addr, RD_OBJ_ONCE);
    bool known = o && o->once.state == RD_ONCE_DONE;
    op.arg = __atomic_load_n(control, __ATOMIC_ACQUIRE) == GLIBC_ONCE_DONE;
    if (known && !op.arg) /* the control variable was initialised again: it is a new once */
        rd_world_forget(w, op.addr);
    /*
     * A once that was done while the program had one thread is done in every schedule, so a call is no operation.
     * The unwinder makes such calls whenever an exception is thrown or a thread is cancelled.
     */
    if (op.arg && rd_rt.threaded && (!o || (known && !o->once.late)))
        return;
    if (!(op.arg ? rd_rt_instant(op) : rd_rt_op(op)).value)
        return;
    __attribute__((cleanup(end_once))) struct once_run r = {.control = control, .pc = pc};
    routine();
    r.done = true;
}

RD_EXPORT int pthread_once(pthread_once_t *control, void (*routine)(void)) {
    if (!rd_rt_active())
        return RD_REAL(pthread_once)(control, routine);
    rd_hook_once(control, routine, RD_PC());
    return 0;
}
