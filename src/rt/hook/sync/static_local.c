/*
 * static_local.c - C++: the initialisation of local static variables. It is a once of the model (model/once.c):
 * other threads wait in the model, never in the C++ library, which finds every guard free or done. The hooks call
 * the C++ library's functions, because only that library knows the contents of a guard.
 *
 * The compiler tests the guard first, with an atomic load that the hooks see where the code is instrumented. The
 * store to the guard at the end of the initialisation happens inside the C++ library, unseen, so the hook announces
 * it. In code without hooks, whose load is not seen, the guard changes in the step that ends the once.
 */
#include "rt/hook/hook.h"

static bool is_made(const void *guard) { return __atomic_load_n((const char *)guard, __ATOMIC_ACQUIRE) != 0; }

static struct rd_result once(unsigned kind, const void *guard, bool arg, uint64_t pc) {
    return rd_rt_op((struct rd_op){.kind = (uint8_t)kind, .addr = (uintptr_t)guard, .arg = arg, .pc = pc});
}

/* Calls the C++ library's function. */
static int acquire(void *guard) { return ((int (*)(void *))rd_real_get(&rd_real.__cxa_guard_acquire))(guard); }

RD_API(int, __cxa_guard_acquire, void *guard) {
    if (!rd_rt_active())
        return acquire(guard);
    struct rd_world *w = &rd_rt.engine.world;
    const struct rd_object *o = rd_world_find(w, (uintptr_t)guard, RD_OBJ_ONCE);
    if (o && o->once.state == RD_ONCE_DONE && !is_made(guard)) /* the memory was used again: it is a new guard */
        rd_world_forget(w, (uintptr_t)guard);
    once(RD_OP_ONCE_BEGIN, guard, is_made(guard), RD_PC());
    return acquire(guard);
}

RD_API(void, __cxa_guard_release, void *guard) {
    void (*release)(void *) = (void (*)(void *))rd_real_get(&rd_real.__cxa_guard_release);
    uint64_t pc = RD_PC();
    bool seen = rd_hook_on() && rd_place_is_instrumented(pc);
    if (seen) {
        rd_rt_atomic((uint64_t)(uintptr_t)guard, 1, RD_OP_ATOMIC_STORE, __ATOMIC_RELEASE, pc);
        release(guard);
    }
    if (rd_rt_active())
        once(RD_OP_ONCE_END, guard, true, pc);
    if (!seen)
        release(guard);
}

RD_API(void, __cxa_guard_abort, void *guard) {
    if (rd_rt_active())
        once(RD_OP_ONCE_END, guard, false, RD_PC());
    ((void (*)(void *))rd_real_get(&rd_real.__cxa_guard_abort))(guard);
}
