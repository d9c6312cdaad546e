/*
 * shadow.h - the state of memory: which bytes the program may use, in one shadow byte for each granule of 16
 * bytes. A shadow byte of zero permits all 16, so an access to memory that has no state is never reported.
 */
#ifndef RD_BASE_SHADOW_H
#define RD_BASE_SHADOW_H

#include "base/base.h"

enum {
    RD_GRANULE = 16,
    RD_SHADOW_OPEN = 0,     /* all 16 bytes may be used; 1 to 15: only the first so many */
    RD_SHADOW_FREED = 0xf0, /* part of a freed block */
    RD_SHADOW_HEAD = 0xf1,  /* the granule right before a block */
    RD_SHADOW_ZONE = 0xf2,  /* between blocks: part of none */
};

/*
 * A block of `size` bytes, a multiple of 16, begins at `at`. The program may use the first `asked` bytes; the
 * `head` bytes before the block and the `zone` bytes after it are not the program's. In all functions `s` is the
 * shadow of address 0.
 */
struct rd_shadow_block {
    uint64_t at, asked, size, head, zone;
    bool reused; /* a block of the same size was there before, whose shadow has to be cleared */
};

/* Marks a new block. */
void rd_shadow_make(uint8_t *s, const struct rd_shadow_block *b);
/* Marks the block as freed. */
void rd_shadow_free(uint8_t *s, const struct rd_shadow_block *b);
/*
 * Returns how many of the `count` bytes at `at` may be used before the first one that may not; `count`: all of
 * them.
 */
uint64_t rd_shadow_usable(const uint8_t *s, uint64_t at, uint64_t count);
/*
 * Large freed blocks, by their addresses: to mark all granules of one would touch too much shadow memory. If the
 * table is full, further ones are marked like small blocks.
 */
enum { RD_FREED_BLOCKS_MAX = 256 };
struct rd_freed_blocks {
    uint32_t count;
    uint64_t at[RD_FREED_BLOCKS_MAX], end[RD_FREED_BLOCKS_MAX]; /* in the order of addresses; no two overlap */
};
static const uint64_t rd_freed_blocks_min = (uint64_t)1 << 18; /* the least size of a large block, in bytes */

/* Returns false if the table is full. */
bool rd_freed_blocks_add(struct rd_freed_blocks *g, uint64_t at, uint64_t size);
void rd_freed_blocks_remove(struct rd_freed_blocks *g, uint64_t at);
/*
 * Returns the address of the first freed block in the table that contains one of the `count` bytes at `at`, or
 * UINT64_MAX.
 */
uint64_t rd_freed_blocks_find(const struct rd_freed_blocks *g, uint64_t at, uint64_t count);

/*
 * Returns the last block that begins at or before this address and at most `far` granules before it; UINT64_MAX:
 * none.
 */
uint64_t rd_shadow_block_before(const uint8_t *s, uint64_t at, uint64_t far);

#endif
