/* arena.c - see arena.h. */
#include "base/arena.h"

#include <string.h>

enum { ALIGN = 16 };

static void reach(struct rd_arena *a, size_t at, size_t size) {
    if (size > a->size || at > a->size - size)
        RD_BUG("an arena is full");
    if (a->reach)
        a->reach(a, at + size);
    RD_CHECK(a->open >= at + size);
}

void *rd_arena_alloc(struct rd_arena *a, size_t size) {
    size_t at = (a->used + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (RD_UNLIKELY(size > a->open || at > a->open - size))
        reach(a, at, size);
    a->used = at + size;
    return a->base + at;
}

void *rd_arena_zero(struct rd_arena *a, size_t size) { return memset(rd_arena_alloc(a, size), 0, size); }

void *rd_vec_grow(struct rd_arena *a, void *old, uint32_t count, uint32_t *room, size_t item) {
    RD_CHECK(count <= *room && count <= UINT32_MAX / 2);
    uint32_t wanted = count < 8 ? 8 : count * 2;
    /* the newest allocation grows in place */
    if (old && (char *)old + (size_t)*room * item == a->base + a->used && a->open >= a->used &&
        a->open - a->used >= (size_t)(wanted - *room) * item) {
        a->used += (size_t)(wanted - *room) * item;
        *room = wanted;
        return old;
    }
    void *fresh = rd_arena_alloc(a, (size_t)wanted * item);
    if (old && count)
        memcpy(fresh, old, (size_t)count * item);
    *room = wanted;
    return fresh;
}
