/*
 * shadow.h - what is known of memory, a byte for each 16 of it. Zero is memory that may be used, so that what
 * nobody has said anything about is never wrong.
 */
#ifndef RD_BASE_SHADOW_H
#define RD_BASE_SHADOW_H

#include "base/base.h"

enum {
    RD_GRANULE = 16,
    RD_SHADOW_OPEN = 0,     /* all of it may be used; 1 to 15: so many bytes of it */
    RD_SHADOW_FREED = 0xf0, /* of a block that was given back */
    RD_SHADOW_HEAD = 0xf1,  /* right before a block */
    RD_SHADOW_ZONE = 0xf2,  /* between blocks, and nobody's */
};

/*
 * `s` is the shadow of address 0 of the memory, and all addresses are from there. A block of `size` bytes, a
 * multiple of 16, of which the first `asked` may be used, begins at `at`, with `head` bytes before it and `zone`
 * after it that are not the program's.
 */
struct rd_shadow_block {
    uint64_t at, asked, size, head, zone;
    bool again; /* there was one before it, of the same size */
};

void rd_shadow_make(uint8_t *s, const struct rd_shadow_block *b);
void rd_shadow_free(uint8_t *s, const struct rd_shadow_block *b);
/* How many of these bytes may be used before the first that may not: `count` when all may. */
uint64_t rd_shadow_usable(const uint8_t *s, uint64_t at, uint64_t count);
/*
 * Large blocks that were given back, by their addresses: to mark all of one would touch too much. Where there are
 * too many of them they are marked like others.
 */
enum { RD_FREED_BLOCKS_MAX = 256 };
struct rd_freed_blocks {
    uint32_t count;
    uint64_t at[RD_FREED_BLOCKS_MAX], end[RD_FREED_BLOCKS_MAX]; /* in the order of addresses; no two overlap */
};
static const uint64_t rd_freed_blocks_min = (uint64_t)1 << 18; /* bytes of a block that belongs there */

bool rd_freed_blocks_add(struct rd_freed_blocks *g, uint64_t at, uint64_t size);
void rd_freed_blocks_remove(struct rd_freed_blocks *g, uint64_t at);
/* The block that the first of these bytes is in that is in one, or UINT64_MAX. */
uint64_t rd_freed_blocks_find(const struct rd_freed_blocks *g, uint64_t at, uint64_t count);

/* The last block that begins at or before this address, looking back so many granules; UINT64_MAX: none. */
uint64_t rd_shadow_block_before(const uint8_t *s, uint64_t at, uint64_t far);

#endif
