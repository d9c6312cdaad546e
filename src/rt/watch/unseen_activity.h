/* unseen_activity.h - notices activity of the program that no hook sees: threads and modules of a second libc. */
#ifndef RD_RT_WATCH_UNSEEN_ACTIVITY_H
#define RD_RT_WATCH_UNSEEN_ACTIVITY_H

#include "trace/types.h"

/* Called once, while the process has one thread: tests whether threads can be counted. */
void rd_unseen_init(void);
/* Notes that the runtime has made a kernel thread. */
void rd_unseen_made(void);
/* Returns whether the process has kernel threads that the runtime has not made. */
bool rd_unseen_threads(void);
/* At the checkpoint: notes whether there are such threads. */
void rd_unseen_checkpoint(void);
/* In a process that was forked at the checkpoint: the calling thread is its only one. */
void rd_unseen_forked(void);
/* At the end of an execution: notes in the outcome whether there are, or were at the checkpoint, such threads. */
void rd_unseen_end(void);
/* The same for modules in a list of their own (dlmopen), which no system call shows. */
void rd_unseen_modules(void);

/* Returns whether the place is in libc. */
bool rd_unseen_is_libc(rd_place pc);

#endif
