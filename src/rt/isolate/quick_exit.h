/*
 * quick_exit.h - the end of a program that has nothing left to do. libc's exit() goes through all modules and
 * streams, and writes to a third of the pages that an execution of a small program changes; all of them are put
 * back afterwards. When it is known that there is nothing for it to do, it is left out. Only for executions in a
 * snapshot: nobody sees the difference there.
 */
#ifndef RD_RT_ISOLATE_QUICK_EXIT_H
#define RD_RT_ISOLATE_QUICK_EXIT_H

#include <stdbool.h>

/* At the checkpoint: what is loaded. */
void rd_quick_exit_look(void);
/* No function is to be called at the end, and nothing is buffered. */
bool rd_quick_exit_possible(void);

#endif
