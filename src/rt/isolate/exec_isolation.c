/*
 * exec_isolation.c - exec isolation: each execution in a process that starts the program anew. The driver runs the
 * search, and no process is an explorer. Two functions are left for a tested process: with `auto`, an explorer that
 * finds out that neither snapshot nor fork isolates leaves the search to the driver (prepare); and a process that
 * was started for one execution, or for a replay, goes on with it at the checkpoint (run).
 */
#include "base/text.h"
#include "rt/access/patch.h"
#include "rt/isolate/isolation.h"

static bool prepare(struct rd_channel *c, char *why) {
    c->result.summary.end = RD_END_NO_FORK;
    rd_text_copy(c->result.summary.message, sizeof c->result.summary.message, why);
    rd_isolation_explorer_over();
}

/* The process is new: no earlier execution has changed it. */
static bool put_back(struct rd_channel *c) {
    (void)c;
    return true;
}

static enum rd_isolation_result run(struct rd_channel *c, char *why) {
    (void)c;
    (void)why;
    rd_patch_apply();
    return RD_ISOLATION_HERE;
}

const struct rd_isolation_ops rd_isolation_exec = {"exec", prepare, put_back, run, NULL};
