/* libc_functions.c - see libc_functions.h: looks up libc's functions, once, before the first hook needs one. */
#include "rt/libc/libc_functions.h"

#include <dlfcn.h>

struct rd_real rd_real;

void rd_real_init(void) {
    if (rd_real.pthread_create)
        return;
#define RD_REAL_NAME(name) rd_real.name = dlsym(RTLD_NEXT, #name);
#include "rt/libc/libc_functions.def"
#undef RD_REAL_NAME
}
