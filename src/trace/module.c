/* module.c - see module.h. */
#include "trace/module.h"

#include <string.h>

bool rd_module_is_known(const char *path) {
    static const char *const known[] = {"libraddle",  "libc.so",    "libc-",     "libm.so", "libm-",
                                        "libmvec",    "libpthread", "libdl",     "librt",   "ld-linux",
                                        "ld-2",       "ld.so",      "libutil",   "libanl",  "libresolv",
                                        "libnss_",    "libgcc_s",   "libstdc++", "libc++",  "linux-vdso",
                                        "linux-gate", "[vdso",      "libgomp",   "libomp.", "libiomp5"};
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    for (size_t i = 0; i < RD_COUNT(known); i++)
        if (strncmp(base, known[i], strlen(known[i])) == 0)
            return true;
    return path[0] == 0;
}
