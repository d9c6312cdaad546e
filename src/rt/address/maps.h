/* maps.h - the mappings of this process, as the kernel lists them. */
#ifndef RD_RT_ADDRESS_MAPS_H
#define RD_RT_ADDRESS_MAPS_H

#include <stdbool.h>
#include <stdint.h>

struct rd_mapping {
    uint64_t start, end;
    bool readable, writable, executable, shared;
    bool file; /* there is something behind it */
    const char *path;
};

/*
 * Calls `look` for each, in the order of addresses, until it returns false. Returns false when the list cannot be
 * had. Needs nothing of libc's.
 */
bool rd_maps_each(bool (*look)(const struct rd_mapping *m, void *ctx), void *ctx);

#endif
