/*
 * descendants.h - ends every process that a tested program has started, directly or through others, even if that
 * process has left the group and the session (setsid) and its parent has ended. The driver makes itself the
 * subreaper of its descendants (PR_SET_CHILD_SUBREAPER), so the kernel makes it the parent of every orphan among
 * them. At the end of the command it kills all of its children.
 */
#ifndef RD_DRIVE_PROCESS_DESCENDANTS_H
#define RD_DRIVE_PROCESS_DESCENDANTS_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Makes this process the subreaper. Called before the first process is started: children that exist already were
 * not started by a tested program and are left alone.
 */
void rd_descendants_adopt(void);
/*
 * rd_descendants_own: the caller has started this process and will wait for it, so rd_descendants_reap must not.
 * rd_descendants_gone: the caller has waited for it.
 */
void rd_descendants_own(pid_t pid);
void rd_descendants_gone(pid_t pid);
/*
 * Is this process the worker, a child of the worker, or an orphan that this process has adopted? Other children of
 * this process are other workers and helpers.
 */
bool rd_descendants_is_of(pid_t pid, pid_t worker);
/*
 * Waits for adopted processes that have ended, which would stay zombies otherwise. Called every few milliseconds.
 */
void rd_descendants_reap(void);
/* Kills all descendants, those that they start meanwhile included. May be called in a signal handler. */
void rd_descendants_end(void);

#endif
