/* maps.h - the memory mappings of this process, from /proc/self/maps. */
#ifndef RD_RT_ADDRESS_MAPS_H
#define RD_RT_ADDRESS_MAPS_H

#include <stdbool.h>
#include <stdint.h>

struct rd_mapping {
    uint64_t start, end;
    bool readable, writable, executable, shared;
    bool file; /* it is a mapping of a file */
    const char *path;
};

/*
 * Calls `look` for each mapping, in the order of addresses, until it returns false. Returns false when the kernel
 * does not provide the list. Uses no function of libc that allocates or locks.
 */
bool rd_maps_each(bool (*look)(const struct rd_mapping *m, void *ctx), void *ctx);

#endif
