/*
 * replace_worker.h - a worker that died is started again, and goes on where it was (explore/resume.h): nobody else
 * notices, and nothing but one execution is run again.
 *
 * That is so if it died of a signal that somebody has sent, while an execution ran or it waited for others. What
 * has died of a fault, or was damaged, may have worked with wrong memory for long, and may have handed that to
 * others: then the search begins again (restart.h). So it does where a worker has died in the same execution
 * several times.
 */
#ifndef RD_DRIVE_REPLACE_WORKER_H
#define RD_DRIVE_REPLACE_WORKER_H

#include "drive/session.h"

/* What is said of isolation when a process that all executions were in is gone. */
extern const char rd_replace_worker_why[];

/* The worker's process has ended with this wait status. True: there is another one in its place. */
bool rd_replace_worker(struct rd_session *s, struct rd_worker *w, int status);
/* Tells, at the end, what was done so. */
void rd_replace_worker_note(struct rd_session *s);

#endif
