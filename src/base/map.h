/* map.h - a hash map from 64-bit keys to 64-bit values (often pointers), in an arena. Keys are never removed. */
#ifndef RD_MAP_H
#define RD_MAP_H

#include "base/arena.h"

struct rd_map_slot {
    uint64_t key, value;
};

struct rd_map {
    struct rd_map_slot *slots; /* key 0 marks an empty slot; key 0 itself lives in zero_value */
    uint32_t room, count;      /* room is a power of two or 0 */
    uint64_t zero_value;
    bool has_zero;
};

/* The value's address, or NULL. Valid until the next _put. */
uint64_t *rd_map_get(const struct rd_map *m, uint64_t key);
/* The value's address; a new key starts with value 0. Valid until the next _put. */
uint64_t *rd_map_put(struct rd_map *m, struct rd_arena *a, uint64_t key);

#endif
