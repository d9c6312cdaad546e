/*
 * search_memory.h - the memory of the search. It is shared with the driver, which does nothing but hold it: so it
 * is there when this process has died, for the one that goes on in its place (explore/resume.h).
 */
#ifndef RD_RT_ISOLATE_SEARCH_MEMORY_H
#define RD_RT_ISOLATE_SEARCH_MEMORY_H

#include <stdbool.h>

/* Maps what the driver holds. Called once, before the program begins; where it cannot be, it is as if there were
 * none. */
void rd_search_memory_attach(int fd);
/* The memory, for the explorer, and whether it outlives this process. NULL: there is no address space for it. */
void *rd_search_memory_get(bool *outlives);

#endif
