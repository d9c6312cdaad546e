/* explorer.h - the checkpoint, where a process of the program becomes the explorer. See explorer.c. */
#ifndef RD_RT_EXPLORER_H
#define RD_RT_EXPLORER_H

#include <stdint.h>

/*
 * Called by the program's first thread before it creates the second one. In the explorer this call runs the whole
 * search and ends the process; it returns in executions, once in each.
 */
void rd_rt_checkpoint(void);

/* Returns the time in ns, without calling a function of the program's. `ctx` is not used. */
uint64_t rd_explorer_now(void *ctx);

#endif
