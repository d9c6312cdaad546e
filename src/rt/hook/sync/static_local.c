/*
 * guard.c - C++: local static variables. Who makes one is a once (model/once.c): others wait in the model, never in
 * the C++ library, which then finds every guard free or done. It is still called: what is in the guard is its
 * business.
 *
 * The compiler asks the guard first, with an atomic load that the hooks see where the code is instrumented; who has
 * made the variable says so inside the C++ library, which they do not. So that store is announced here. Where the
 * load is not seen, the guard changes together with the end of the once.
 */
#include "rt/hook/hook.h"

static bool is_made(const void *guard) { return __atomic_load_n((const char *)guard, __ATOMIC_ACQUIRE) != 0; }

static struct rd_result once(unsigned kind, const void *guard, bool arg, uint64_t pc) {
    return rd_rt_op((struct rd_op){.kind = (uint8_t)kind, .addr = (uintptr_t)guard, .arg = arg, .pc = pc});
}

/* The library's own, and what it answers. */
static int acquire(void *guard) { return ((int (*)(void *))rd_real_get(&rd_real.__cxa_guard_acquire))(guard); }

RD_API(int, __cxa_guard_acquire, void *guard) {
    if (!rd_rt_active())
        return acquire(guard);
    struct rd_world *w = &rd_rt.engine.world;
    const struct rd_object *o = rd_world_find(w, (uintptr_t)guard, RD_OBJ_ONCE);
    if (o && o->once.state == RD_ONCE_DONE && !is_made(guard)) /* its memory is a new one's by now */
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
