/* map.c - linear probing at a load of at most one half. */
#include "base/map.h"

/*
 * slots of a new map: so few that several small maps of an execution share a page, as a snapshot copies each
 * touched page back
 */
enum { FIRST = 32 };

static void grow(struct rd_map *m, struct rd_arena *a, uint32_t room) {
    RD_CHECK(room > m->room && (room & (room - 1)) == 0);
    struct rd_map old = *m;
    m->room = room;
    m->slots = rd_arena_zero(a, m->room * sizeof *m->slots);
    for (uint32_t i = 0; i < old.room; i++)
        if (old.slots[i].key)
            *rd_map_slot(m, old.slots[i].key) = old.slots[i];
}

void rd_map_reserve(struct rd_map *m, struct rd_arena *a, uint32_t count) {
    uint32_t room = RD_MAX(m->room, (uint32_t)FIRST);
    while (room / 2 < count && room <= UINT32_MAX / 2)
        room *= 2;
    if (room > m->room)
        grow(m, a, room);
}

uint64_t *rd_map_put(struct rd_map *m, struct rd_arena *a, uint64_t key) {
    if (key == 0) {
        if (!m->has_zero)
            m->zero_value = 0;
        m->has_zero = true;
        return &m->zero_value;
    }
    if (m->count * 2 >= m->room)
        grow(m, a, m->room ? m->room * 2 : FIRST);
    struct rd_map_slot *s = rd_map_slot(m, key);
    if (s->key == 0) {
        s->key = key;
        s->value = 0;
        m->count++;
    }
    return &s->value;
}
