/* unseen_activity.h - noticing what happens beside the hooks. */
#ifndef RD_RT_WATCH_UNSEEN_ACTIVITY_H
#define RD_RT_WATCH_UNSEEN_ACTIVITY_H

#include "trace/types.h"

/* The process has one thread now. */
void rd_unseen_init(void);
/* A kernel thread of ours was made. */
void rd_unseen_made(void);
/* Are there threads that are not ours? */
bool rd_unseen_threads(void);
void rd_unseen_checkpoint(void);
/* In a process that was forked there: no other thread is left. */
void rd_unseen_forked(void);
/* The execution is over: what was noticed goes into its outcome. */
void rd_unseen_end(void);
/* The same for modules in a list of their own, which no system call shows. */
void rd_unseen_modules(void);

/* Is it code of libc's, which works for whoever has called it? */
bool rd_unseen_is_libc(rd_place pc);

#endif
