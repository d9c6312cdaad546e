/* allocation_sites.h - which statement allocated each block of the heap, for the names of variables. */
#ifndef RD_RT_HEAP_ALLOCATION_SITES_H
#define RD_RT_HEAP_ALLOCATION_SITES_H

#include <stddef.h>

/* Notes the calls that lead to the allocation of block p, for which the program asked for `size` bytes. */
void rd_allocation_sites_note(const void *p, size_t size);

#endif
