/*
 * quick_exit.h - the end of a program that has no work for exit(). libc's exit() goes through all modules and
 * streams, and writes to a third of the pages that an execution of a small program changes; all of them have to be
 * put back afterwards. So exit() is not called where it is known to call no function and to write no buffer. Only
 * for executions in a snapshot, whose process does not end.
 */
#ifndef RD_RT_ISOLATE_QUICK_EXIT_H
#define RD_RT_ISOLATE_QUICK_EXIT_H

#include <stdbool.h>

/* At the checkpoint: looks at the end functions of all modules. */
void rd_quick_exit_look(void);
/* Returns whether exit() would call no function and write no buffer. */
bool rd_quick_exit_possible(void);

#endif
