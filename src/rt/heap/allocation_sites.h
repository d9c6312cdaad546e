/* blocks.h - where the blocks of the heap come from. */
#ifndef RD_RT_HEAP_ALLOCATION_SITES_H
#define RD_RT_HEAP_ALLOCATION_SITES_H

#include <stddef.h>

/* The program has got this block, of so many bytes as it asked for. */
void rd_allocation_sites_note(const void *p, size_t size);

#endif
