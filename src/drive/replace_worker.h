/*
 * replace_worker.h - starts another process in the place of a worker's process that was killed. The new process
 * goes on with the same search (explore/resume.h): only the execution in which the old one died is run again, and
 * the other workers of a team see no difference.
 *
 * Only a process that was killed by a signal from outside is replaced, and only if it ran an execution or waited
 * for other workers: then the memory of its search was consistent. A process that died by a fault may have computed
 * with damaged memory for some time, and may have given units made from it to other workers, so then the whole
 * search is repeated (retry.h). The same is done if several processes in a row die in the same execution.
 */
#ifndef RD_DRIVE_REPLACE_WORKER_H
#define RD_DRIVE_REPLACE_WORKER_H

#include "drive/session.h"

/* The reason, for the report, why executions no longer share one process. */
extern const char rd_replace_worker_why[];

/* The worker's process has ended with this wait status. Returns true if another process has taken its place. */
bool rd_replace_worker(struct rd_session *s, struct rd_worker *w, int status);
/* Notes for the report, at the end of the session, that workers were replaced. */
void rd_replace_worker_note(struct rd_session *s);

#endif
