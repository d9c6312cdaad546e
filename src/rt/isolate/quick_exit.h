/*
 * quick_exit.h - the end of a program for which exit() would do nothing. libc's exit() goes through all modules and
 * streams, and writes to a third of the pages that an execution of a small program changes; all of them are put
 * back afterwards. Where exit() is known to have nothing to do, it is not called. Only for executions in a
 * snapshot, where the end of the process has no effect that could be seen.
 */
#ifndef RD_RT_ISOLATE_QUICK_EXIT_H
#define RD_RT_ISOLATE_QUICK_EXIT_H

#include <stdbool.h>

/* At the checkpoint: looks at the end functions of all modules. */
void rd_quick_exit_look(void);
/* Returns whether exit() would call no function and write no buffer. */
bool rd_quick_exit_possible(void);

#endif
