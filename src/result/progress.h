/* progress.h - what the status line shows of a search that runs. */
#ifndef RD_RESULT_PROGRESS_H
#define RD_RESULT_PROGRESS_H

#include "result/summary.h"
#include "trace/config.h"

/* A copy that no tested process can reach: every index is within its limit, and every text ends. */
struct rd_progress {
    char strategy[sizeof((struct rd_config *)0)->strategy];
    uint64_t executions_max;
    uint64_t time_max_ns; /* what the search may use of the command's time; 0: no limit */
    uint32_t warnings;    /* findings that are warnings only */
    struct rd_summary summary;
};

#endif
