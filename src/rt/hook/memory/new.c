/*
 * new.c - C++'s operators new and delete. The C++ library's own call malloc and free, which have hooks; hooks of
 * the operators know the place of the program's own call, and make a delete an operation at that place. Operators
 * that the program defines itself come before these.
 *
 * When there is no memory, the hook calls the C++ library's operator, which calls the new-handler and throws.
 * Without a C++ library in the process (dlopen may load it later) the operators are malloc and free.
 */
#include "rt/hook/hook.h"

#include <stdlib.h>

typedef void *allocate(size_t size, size_t more);
typedef void release(void *p);

/* The allocation by the C++ library's operator, or by malloc where there is none. */
static void *other(void *real, size_t size, size_t more) {
    return real ? ((allocate *)real)(size, more) : malloc(size);
}

static void *fresh(size_t size, size_t align, uint64_t pc) {
    RD_ASSERT(!rd_self->by_new); /* the heap calls no operator new */
    rd_self->by_new = true;
    void *p = rd_heap_alloc(size, align, pc);
    rd_self->by_new = false;
    return p;
}

/* `more` is the alignment, or the address of a std::nothrow_t, which has no contents. */
#define NEW(name, align)                                               \
    RD_API(void *, name, size_t size, size_t more) {                   \
        void *p = rd_rt_active() ? fresh(size, align, RD_PC()) : NULL; \
        return p ? p : other(rd_real_get(&rd_real.name), size, more);  \
    }
NEW(_Znwm, 16)
NEW(_Znam, 16)
NEW(_ZnwmRKSt9nothrow_t, 16)
NEW(_ZnamRKSt9nothrow_t, 16)
NEW(_ZnwmSt11align_val_t, more)
NEW(_ZnamSt11align_val_t, more)

static void give_back(void *p, uint64_t pc) {
    void *real = rd_real_get(&rd_real._ZdlPv);
    if (!p)
        return;
    if (!real || rd_heap_owns(p))
        rd_hook_free(p, pc);
    else
        ((release *)real)(p);
}

/* The arguments for size and alignment are not needed: the heap knows both. */
#define DELETE(name) \
    RD_API(void, name, void *p) { give_back(p, RD_PC()); }
DELETE(_ZdlPv)
DELETE(_ZdaPv)
DELETE(_ZdlPvm)
DELETE(_ZdaPvm)
DELETE(_ZdlPvSt11align_val_t)
DELETE(_ZdaPvSt11align_val_t)
DELETE(_ZdlPvmSt11align_val_t)
DELETE(_ZdaPvmSt11align_val_t)
