/* failure_point.c - see failure_point.h. */
#include "rt/thread/failure_point.h"

#include "rt/address/place_of_address.h"
#include "rt/end_execution.h"
#include "rt/inside.h"
#include "rt/state.h"
#include "rt/thread/scheduling_point.h"
#include "rt/thread/vthread.h"

#include <ucontext.h>

/*
 * Can another thread go on, and notice the last operation or access of this one? No thread notices a plain or
 * atomic read: other threads can do before the read whatever they do between the read and the failure.
 */
static bool is_needed(const struct rd_vthread *v) {
    const struct rd_world *w = &rd_rt.engine.world;
    unsigned last = w->threads[v->tid].pending.kind;
    bool read = last == RD_OP_READ || last == RD_OP_ATOMIC_LOAD || last == RD_OP_FAIL;
    if (!rd_rt.threaded || rd_rt.ending || (read && !v->passed_pc && !v->passed_call))
        return false;
    for (rd_tid t = 0; t < w->count; t++)
        if (t != v->tid && rd_model_enabled(w, t))
            return true;
    return false;
}

void rd_failure_point(uint64_t pc) {
    struct rd_vthread *v = rd_self;
    unsigned inside = v->inside;
    if (!is_needed(v))
        return;
    if (v->nested) { /* in a function that a library has called: the library may hold a lock that others wait for */
        rd_rt.engine.rec.out->unseen |= RD_UNSEEN_FAILURE;
        return;
    }
    v->inside = 0;
    rd_rt_op((struct rd_op){.kind = RD_OP_FAIL, .pc = pc});
    v->inside = inside;
}

#if defined(__x86_64__)
#define ON_ANY_STACK __attribute__((force_align_arg_pointer))
#else
#define ON_ANY_STACK
#endif

/* Where a thread that has crashed goes on, on its own stack. */
static ON_ANY_STACK _Noreturn void go_on_after_crash(void) {
    struct rd_vthread *v = rd_self;
    RD_CHECK(v->failure && v->inside == 0);
    rd_rt_op((struct rd_op){.kind = RD_OP_FAIL, .pc = v->passed_pc + 1}); /* a report looks up the byte before */
    rd_rt_found(v->failure);
}

/*
 * The thread seems to have called the function where the fault was, so that a debugger finds its calls. What lies
 * below its stack pointer is lost; the thread will not need it.
 */
void rd_failure_point_after_signal(void *context) {
    ucontext_t *u = context;
#if defined(__x86_64__)
    enum { DIRECTION = 0x400 };
    greg_t *r = u->uc_mcontext.gregs;
    r[REG_RSP] -= (greg_t)sizeof(uint64_t);
    *(uint64_t *)(uintptr_t)r[REG_RSP] = (uint64_t)r[REG_RIP] + 1;
    r[REG_RIP] = (greg_t)(uintptr_t)go_on_after_crash;
    r[REG_EFL] &= ~(greg_t)DIRECTION;
#else
    u->uc_mcontext.regs[30] = u->uc_mcontext.pc + 4;
    u->uc_mcontext.pc = (uintptr_t)go_on_after_crash;
#endif
}

bool rd_failure_point_of_crash(const struct rd_finding *f, uint64_t pc, const void *context, bool inside) {
    struct rd_vthread *v = rd_self;
    enum { STACK_NEEDED = 16 << 10 };
    uint64_t low = (uintptr_t)v->stack_low, probe;
#if defined(__x86_64__)
    uint64_t sp = (uint64_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RSP];
#else
    uint64_t sp = ((const ucontext_t *)context)->uc_mcontext.sp;
#endif
    if (!is_needed(v))
        return false;
    /* elsewhere the thread may hold a lock of a library, or be in the middle of a change of the runtime's state */
    bool possible = !v->failure && !inside && !v->nested && rd_place_is_instrumented(pc) &&
                    !(low && sp - low < STACK_NEEDED) && rd_rt_peek(sp - STACK_NEEDED, sizeof probe, &probe) &&
                    rd_rt_peek(sp, sizeof probe, &probe);
    if (!possible) {
        rd_rt.engine.rec.out->unseen |= RD_UNSEEN_FAILURE;
        return false;
    }
    v->failure = rd_arena_alloc(&rd_rt.arena, sizeof *v->failure);
    *v->failure = *f;
    v->passed_pc = pc;
    return true;
}
