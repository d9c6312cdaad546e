/*
 * search_memory.h - the memory of the search. It is shared with the driver, which only holds it: when this process
 * has died, the memory is still there for the process that takes its place (explore/resume.h).
 */
#ifndef RD_RT_ISOLATE_SEARCH_MEMORY_H
#define RD_RT_ISOLATE_SEARCH_MEMORY_H

#include <stdbool.h>

/*
 * Maps the memory that the driver holds as `fd`, and closes the descriptor. Called once, before the program begins.
 * Where it cannot be mapped the search gets memory of this process.
 */
void rd_search_memory_attach(int fd);
/* Returns the memory for the explorer, and whether it outlives this process. NULL: there is no address space for
 * it. */
void *rd_search_memory_get(bool *outlives);

#endif
