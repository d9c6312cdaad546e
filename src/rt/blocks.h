/* blocks.h - where the blocks of the heap come from. */
#ifndef RD_RT_BLOCKS_H
#define RD_RT_BLOCKS_H

#include <stddef.h>

/* The program has got this block, of so many bytes as it asked for. */
void rd_blocks_note(const void *p, size_t size);

#endif
