/*
 * take_result.h - from the channel of a worker, which a broken program can write into, to a result of the driver's
 * own (result/run_result.h). This is the only way by which what a tested process says gets out of the driver.
 */
#ifndef RD_DRIVE_TAKE_RESULT_H
#define RD_DRIVE_TAKE_RESULT_H

#include "drive/process/worker.h"
#include "result/run_result.h"

/*
 * Copies the channel of a worker whose process has ended, and checks the copy. Returns NULL, or what is wrong with
 * it; then `to` has those findings that are sound by themselves, and nothing else in it counts. In both cases the
 * caller frees it. `rules` and `shared` are not taken from the channel: the driver has them.
 */
const char *rd_run_result_take(struct rd_run_result *to, const struct rd_worker *w);
void rd_run_result_free(struct rd_run_result *r);
/* A result without findings, of no execution. */
struct rd_run_result rd_run_result_empty(const struct rd_config *config);

/*
 * merge.c: adds findings. One that `to` has already is counted there; a new one is stored with its schedule, or
 * counted in summary.unstored if there is no room.
 */
void rd_run_result_add_findings(struct rd_run_result *to, const struct rd_run_result *from);
void rd_run_result_add_finding(struct rd_run_result *to, const struct rd_run_result *from,
                               const struct rd_found *f);
/* Takes over the numbers of threads from `from` if that knows more of them: the shorter table begins the longer. */
void rd_run_result_add_paths(struct rd_run_result *to, const struct rd_run_result *from);

#endif
