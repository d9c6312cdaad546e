/* intern.c - see intern.h. An open hash table of numbers, at most half full. Without memory the command ends. */
#include "report/html/intern.h"

#include <stdlib.h>
#include <string.h>

static void *grow(void *old, size_t size) {
    void *p = realloc(old, size);
    if (!p)
        abort();
    return p;
}

static uint64_t hash_of(const unsigned char *p, uint32_t size) {
    uint64_t h = 0xcbf29ce484222325u;
    for (uint32_t i = 0; i < size; i++)
        h = (h ^ p[i]) * 0x100000001b3u;
    return rd_mix(h ^ size);
}

static void widen(struct rd_intern *t) {
    t->slots = t->slots ? t->slots * 2 : 256;
    free(t->slot);
    t->slot = calloc(t->slots, sizeof *t->slot);
    if (!t->slot)
        abort();
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t at = (uint32_t)t->item[i].hash & (t->slots - 1);
        while (t->slot[at])
            at = (at + 1) & (t->slots - 1);
        t->slot[at] = i + 1;
    }
}

uint32_t rd_intern(struct rd_intern *t, const void *bytes, uint32_t size) {
    uint64_t hash = hash_of(bytes, size);
    if (t->count * 2 >= t->slots)
        widen(t);
    uint32_t at = (uint32_t)hash & (t->slots - 1);
    for (; t->slot[at]; at = (at + 1) & (t->slots - 1)) {
        const struct rd_intern_item *i = &t->item[t->slot[at] - 1];
        if (i->hash == hash && i->size == size && memcmp(t->bytes + i->at, bytes, size) == 0)
            return t->slot[at] - 1;
    }
    if (t->count == t->item_room) {
        t->item_room = t->item_room ? t->item_room * 2 : 128;
        t->item = grow(t->item, t->item_room * sizeof *t->item);
    }
    size_t aligned = (t->used + 7) & ~(size_t)7;
    while (aligned + size + 1 > t->room) {
        t->room = t->room ? t->room * 2 : 4096;
        t->bytes = grow(t->bytes, t->room);
    }
    memcpy(t->bytes + aligned, bytes, size);
    t->bytes[aligned + size] = 0;
    t->used = aligned + size + 1;
    t->item[t->count++] = (struct rd_intern_item){.hash = hash, .at = aligned, .size = size};
    t->slot[at] = t->count;
    return t->count - 1;
}

uint32_t rd_intern_text(struct rd_intern *t, const char *text) {
    return rd_intern(t, text, (uint32_t)strlen(text));
}

const void *rd_intern_get(const struct rd_intern *t, uint32_t number, uint32_t *size) {
    RD_CHECK(number < t->count);
    if (size)
        *size = t->item[number].size;
    return t->bytes + t->item[number].at;
}

void rd_intern_free(struct rd_intern *t) {
    free(t->bytes);
    free(t->item);
    free(t->slot);
    memset(t, 0, sizeof *t);
}
