/*
 * take_result.h - copies the result of a worker out of the channel, into which a broken program can write, and
 * checks the copy (result/run_result.h). Reports and subcommands see the data of a tested process only as such a
 * copy.
 */
#ifndef RD_DRIVE_TAKE_RESULT_H
#define RD_DRIVE_TAKE_RESULT_H

#include "drive/process/worker.h"
#include "result/run_result.h"

/*
 * Copies the channel of a worker whose process has ended, and checks the copy. Returns NULL, or the name of the
 * part that is wrong; then `to` has only the findings that are sound by themselves, and the rest of it is not to be
 * used. In both cases the caller frees `to`. `rules` and `shared` do not come from the channel: the driver fills
 * them in.
 */
const char *rd_run_result_take(struct rd_run_result *to, const struct rd_worker *w);
void rd_run_result_free(struct rd_run_result *r);
/* A result without executions and findings. The caller frees it. */
struct rd_run_result rd_run_result_empty(const struct rd_config *config);

/*
 * merge.c: adds findings to `to`. For a finding that `to` has already, only the count grows; a new finding is
 * stored with its schedule, or counted in summary.unstored if there is no room.
 */
void rd_run_result_add_findings(struct rd_run_result *to, const struct rd_run_result *from);
void rd_run_result_add_finding(struct rd_run_result *to, const struct rd_run_result *from,
                               const struct rd_found *f);
/* Takes over the table of thread numbers of `from` if it is longer: one table is the beginning of the other. */
void rd_run_result_add_paths(struct rd_run_result *to, const struct rd_run_result *from);

#endif
