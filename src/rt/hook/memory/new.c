/*
 * new.c - C++'s operators new and delete. They could be left to the C++ library, which calls malloc and free; here
 * the place of the program's own call is known, and a delete is an operation of the code that makes it. A program
 * that has operators of its own uses those.
 *
 * What cannot be had is the C++ library's to say: it calls the handler and throws. Where there is no C++ library
 * (it may come later, with dlopen) that is all the same as malloc.
 */
#include "rt/hook/hook.h"

#include <stdlib.h>

typedef void *allocate(size_t size, size_t more);
typedef void release(void *p);

static void *other(void *real, size_t size, size_t more) {
    return real ? ((allocate *)real)(size, more) : malloc(size);
}

static void *fresh(size_t size, size_t align, uint64_t pc) {
    rd_self->by_new = true;
    void *p = rd_heap_alloc(size, align, pc);
    rd_self->by_new = false;
    return p;
}

/* `more` is the alignment, or a std::nothrow_t that says nothing. */
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

/* The size and the alignment say nothing that is not known. */
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
