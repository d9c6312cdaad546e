/* fork_isolation.h - what fork isolation must look after between executions. */
#ifndef RD_RT_ISOLATE_FORK_ISOLATION_H
#define RD_RT_ISOLATE_FORK_ISOLATION_H

#include <stdbool.h>
#include <stddef.h>

/* Before the program's own code: notes which descriptors it was given. */
void rd_fork_isolation_begin(void);
/* At the checkpoint: notes what must be put back. True, with the reason, when a fork cannot isolate this program.
 */
bool rd_fork_isolation_problem(char *why, size_t room);
/* Before every execution. */
void rd_fork_isolation_restore(void);
/* The same for how they are open (O_NONBLOCK …), which an execution in a snapshot cannot have changed. */
void rd_fork_isolation_restore_flags(void);

#endif
