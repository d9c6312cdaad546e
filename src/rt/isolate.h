/* isolate.h - what fork isolation must look after between executions. */
#ifndef RD_ISOLATE_H
#define RD_ISOLATE_H

#include <stdbool.h>
#include <stddef.h>

/* Before the program's own code: notes which descriptors it was given. */
void rd_isolate_begin(void);
/* At the checkpoint: notes what must be put back. True, with the reason, when a fork cannot isolate this program.
 */
bool rd_isolate_problem(char *why, size_t room);
/* Before every execution. */
void rd_isolate_restore(void);
/* The same for how they are open (O_NONBLOCK …), which an execution in a snapshot cannot have changed. */
void rd_isolate_restore_flags(void);

#endif
