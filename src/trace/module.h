/* module.h - the program and the libraries that it has loaded. */
#ifndef RD_TRACE_MODULE_H
#define RD_TRACE_MODULE_H

#include "base/base.h"

enum { RD_MODULES_MAX = 256 };

struct rd_module {
    uint64_t base, start, end;
    uint8_t build_id[20];
    uint8_t build_id_size;
    uint8_t instrumented; /* calls the compiler's hooks */
    uint8_t streams;      /* refers to the locks of streams */
    uint8_t known;        /* rd_module_is_known */
    char path[232];
};
static_assert(sizeof(struct rd_module) == 280, "stored");

/* Is it a library whose functions the runtime knows: libc, the C++ library …, or the runtime itself? */
bool rd_module_is_known(const char *path);

#endif
