/*
 * libc_functions.h - libc's own versions of the functions that have hooks. The runtime calls such a function only
 * through RD_REAL, never by its name, which would call the hook.
 */
#ifndef RD_RT_LIBC_LIBC_FUNCTIONS_H
#define RD_RT_LIBC_LIBC_FUNCTIONS_H

#include "base/base.h"

/* One pointer for each function that libc_functions.def lists; NULL where this libc does not have the function. */
struct rd_real {
#define RD_REAL_NAME(name) void *name;
#include "rt/libc/libc_functions.def"
#undef RD_REAL_NAME
};
extern struct rd_real rd_real;

/* Looks all functions up. Called at the library's start, and before that by the first use of RD_REAL. */
void rd_real_init(void);

/* Returns the function that `slot` of rd_real holds. */
static inline void *rd_real_get(void **slot) {
    if (RD_UNLIKELY(!*slot))
        rd_real_init(); /* the start code of another library called a hook before this library's start */
    return *slot;
}

/* The real function, with the type of the declaration in scope. */
#define RD_REAL(name) ((__typeof__(&name))rd_real_get(&rd_real.name))

#endif
