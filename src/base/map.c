/* map.c - linear probing at a load of at most one half. */
#include "base/map.h"

static struct rd_map_slot *find(struct rd_map_slot *slots, uint32_t room, uint64_t key) {
    uint32_t i = (uint32_t)rd_mix(key) & (room - 1);
    while (slots[i].key != key && slots[i].key != 0)
        i = (i + 1) & (room - 1);
    return &slots[i];
}

uint64_t *rd_map_get(const struct rd_map *m, uint64_t key) {
    if (key == 0)
        return m->has_zero ? (uint64_t *)&m->zero_value : NULL;
    if (m->room == 0)
        return NULL;
    struct rd_map_slot *s = find(m->slots, m->room, key);
    return s->key == key ? &s->value : NULL;
}

static void grow(struct rd_map *m, struct rd_arena *a) {
    uint32_t room = m->room ? m->room * 2 : 64;
    struct rd_map_slot *slots = rd_arena_zero(a, room * sizeof *slots);
    for (uint32_t i = 0; i < m->room; i++)
        if (m->slots[i].key)
            *find(slots, room, m->slots[i].key) = m->slots[i];
    m->slots = slots;
    m->room = room;
}

uint64_t *rd_map_put(struct rd_map *m, struct rd_arena *a, uint64_t key) {
    if (key == 0) {
        if (!m->has_zero)
            m->zero_value = 0;
        m->has_zero = true;
        return &m->zero_value;
    }
    if (m->count * 2 >= m->room)
        grow(m, a);
    struct rd_map_slot *s = find(m->slots, m->room, key);
    if (s->key == 0) {
        s->key = key;
        s->value = 0;
        m->count++;
    }
    return &s->value;
}
