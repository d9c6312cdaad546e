/*
 * guard.c - C++: local static variables. The compiler asks the guard first with an atomic load that the hooks see;
 * who has initialised the variable says so inside the C++ library, which they do not. So that store is announced
 * here, and the load of those who come after it.
 */
#include "rt/hook/hook.h"

static void announce(const void *guard, unsigned kind, int order, uint64_t pc) {
    if (rd_hook_on() && rd_place_is_instrumented(pc))
        rd_rt_atomic((uint64_t)(uintptr_t)guard, 1, kind, order, pc);
}

RD_API(int, __cxa_guard_acquire, void *guard) {
    int mine = ((int (*)(void *))rd_real_get(&rd_real.__cxa_guard_acquire))(guard);
    announce(guard, RD_OP_ATOMIC_LOAD, __ATOMIC_ACQUIRE, RD_PC()); /* mine or not: another one may have given up */
    return mine;
}

RD_API(void, __cxa_guard_release, void *guard) {
    announce(guard, RD_OP_ATOMIC_STORE, __ATOMIC_RELEASE, RD_PC());
    ((void (*)(void *))rd_real_get(&rd_real.__cxa_guard_release))(guard);
}

RD_API(void, __cxa_guard_abort, void *guard) {
    announce(guard, RD_OP_ATOMIC_STORE, __ATOMIC_RELEASE, RD_PC());
    ((void (*)(void *))rd_real_get(&rd_real.__cxa_guard_abort))(guard);
}
