/*
 * arena.h - bump allocation out of one region that the caller supplies.
 *
 * Pure parts take their memory from an arena, never from malloc: inside the tested process malloc belongs to the
 * program, and one reset frees all of it at the end of an execution. The region is usually a large reservation of
 * address space, so running out is a BUG, not a case to handle.
 */
#ifndef RD_BASE_ARENA_H
#define RD_BASE_ARENA_H

#include "base/base.h"

struct rd_arena {
    char *base;
    size_t used, size;
    size_t lent; /* bytes of `used` that are lent as working memory; they cost memory only once they are touched */
    size_t open; /* bytes that can be accessed now */
    /* makes at least the first `to` bytes accessible, and raises `open`; NULL: all `size` bytes are accessible */
    void (*reach)(struct rd_arena *a, size_t to);
};

static inline void rd_arena_init(struct rd_arena *a, void *region, size_t size) {
    a->base = region;
    a->used = a->lent = 0;
    a->size = a->open = size;
    a->reach = NULL;
}

/* The memory of _alloc is not zero after a reset. Callers that need zeroes use _zero. */
void *rd_arena_alloc(struct rd_arena *a, size_t size);
void *rd_arena_zero(struct rd_arena *a, size_t size);

static inline void rd_arena_reset(struct rd_arena *a) { a->used = a->lent = 0; }

/*
 * A growable array in an arena. The old copy is left behind when it grows, so the waste is at most the final
 * size. Usage: struct { RD_VEC(int); } v = {0}; rd_vec_push(&arena, &v, 7);
 */
#define RD_VEC(type) \
    type *at;        \
    uint32_t count, room

#define rd_vec_push(arena, v, ...)                                                            \
    do {                                                                                      \
        if ((v)->count == (v)->room)                                                          \
            (v)->at = rd_vec_grow((arena), (v)->at, (v)->count, &(v)->room, sizeof *(v)->at); \
        (v)->at[(v)->count++] = (__VA_ARGS__);                                                \
    } while (0)

void *rd_vec_grow(struct rd_arena *a, void *old, uint32_t count, uint32_t *room, size_t item);

#endif
