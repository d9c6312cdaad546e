/*
 * descendants.h - every process that comes of a tested program, also one that has left its group and session
 * (setsid) and whose parent has ended. The driver is the subreaper of them all: it becomes the parent of such a
 * process, so none is lost, and at the end of the command all of them are ended.
 */
#ifndef RD_DRIVE_PROCESS_DESCENDANTS_H
#define RD_DRIVE_PROCESS_DESCENDANTS_H

#include <sys/types.h>

/* From now on; before anything is started. What this process has as children already is not of the family. */
void rd_descendants_adopt(void);
/* A process that was started here, and that is waited for by whoever has started it; `gone`: it was. */
void rd_descendants_own(pid_t pid);
void rd_descendants_gone(pid_t pid);
/* Takes notice of the ends of adopted ones, which would else stay as zombies; called every few milliseconds. */
void rd_descendants_reap(void);
/* Kills all of them, and what they start meanwhile. May be called in a signal handler. */
void rd_descendants_end(void);

#endif
