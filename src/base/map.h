/* map.h - a hash map from 64-bit keys to 64-bit values (often pointers), in an arena. Keys are never removed. */
#ifndef RD_BASE_MAP_H
#define RD_BASE_MAP_H

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

/*
 * Returns the slot of the key, or the empty slot where it belongs. pre: the map has an empty slot, and the key is
 * not 0.
 */
static inline struct rd_map_slot *rd_map_slot(const struct rd_map *m, uint64_t key) {
    RD_ASSERT(key != 0 && m->count < m->room);
    uint32_t i = (uint32_t)rd_mix(key) & (m->room - 1);
    while (m->slots[i].key != key && m->slots[i].key != 0)
        i = (i + 1) & (m->room - 1);
    return &m->slots[i];
}

/* Returns the address of the key's value, or NULL. It is valid until the next _put. */
static inline uint64_t *rd_map_get(const struct rd_map *m, uint64_t key) {
    if (key == 0)
        return m->has_zero ? (uint64_t *)&m->zero_value : NULL;
    if (m->room == 0)
        return NULL;
    struct rd_map_slot *s = rd_map_slot(m, key);
    return s->key == key ? &s->value : NULL;
}
/* Returns the address of the key's value; the value of a new key is 0. It is valid until the next _put. */
uint64_t *rd_map_put(struct rd_map *m, struct rd_arena *a, uint64_t key);
/* Makes room for `count` keys in all, with one growth. */
void rd_map_reserve(struct rd_map *m, struct rd_arena *a, uint32_t count);

#endif
