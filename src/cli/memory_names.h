/*
 * memory_names.h - for raddle list variables: an execution with call stacks, from which memory of stacks and of the
 * heap gets the names that reports use. A profile has places only.
 */
#ifndef RD_CLI_MEMORY_NAMES_H
#define RD_CLI_MEMORY_NAMES_H

#include "drive/replay_schedule.h"
#include "drive/session.h"
#include "report/report.h"

struct rd_memory_names {
    struct rd_replay replay;
    struct rd_schedule schedule;
    struct rd_report report;
};

/*
 * Runs the session's program once more if its profile has shared memory in stacks or in the heap. Returns the
 * report that knows the names; NULL: there is none, and places keep their numbers.
 */
const struct rd_report *rd_memory_names_learn(struct rd_memory_names *n, struct rd_session *s);
void rd_memory_names_close(struct rd_memory_names *n);

#endif
