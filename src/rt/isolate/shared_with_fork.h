/*
 * shared_with_fork.h - state that a forked process shares with its parent although executions must not share it:
 * positions and lengths of files, flags of descriptors, shared mappings. See shared_with_fork.c.
 */
#ifndef RD_RT_ISOLATE_SHARED_WITH_FORK_H
#define RD_RT_ISOLATE_SHARED_WITH_FORK_H

#include <stdbool.h>
#include <stddef.h>

/* Notes which descriptors the process was given. Called once, before the program's own code. */
void rd_shared_begin(void);
/*
 * At the checkpoint: notes the state that is to be put back. Returns true, with the reason in `why`, if some of the
 * shared state cannot be put back: then neither fork nor snapshot isolates the executions of this program.
 */
bool rd_shared_problem(char *why, size_t room);
/* Puts back the positions of files, and cuts the program's output back to its length at the checkpoint. */
void rd_shared_put_back(void);
/* Puts back the flags of descriptors (O_NONBLOCK …). An execution in a snapshot cannot have changed them. */
void rd_shared_put_back_flags(void);

#endif
