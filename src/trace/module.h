/* module.h - the modules of a process: the program and the libraries that it has loaded. */
#ifndef RD_TRACE_MODULE_H
#define RD_TRACE_MODULE_H

#include "base/base.h"

enum { RD_MODULES_MAX = 256 };

struct rd_module {
    uint64_t base, start, end;
    uint8_t build_id[20];
    uint8_t build_id_size;
    uint8_t instrumented; /* its code calls the compiler's hooks */
    uint8_t streams;      /* it refers to the locks of streams */
    uint8_t known;        /* rd_module_is_known */
    char path[232];
};
static_assert(sizeof(struct rd_module) == 280, "stored");

/* Returns whether the path is that of a library with functions that the runtime knows (libc, the C++ library …), or
 * that of the runtime itself. */
bool rd_module_is_known(const char *path);

#endif
