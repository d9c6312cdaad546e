/* progress.h - the state of a running search, for the status line. */
#ifndef RD_RESULT_PROGRESS_H
#define RD_RESULT_PROGRESS_H

#include "result/summary.h"
#include "trace/config.h"

/* A copy that no tested process can reach: every index is within its limit, and every text ends. */
struct rd_progress {
    char strategy[sizeof((struct rd_config *)0)->strategy];
    uint64_t executions_max;
    uint64_t time_max_ns; /* time that the search may use; 0: no limit */
    uint32_t warnings;    /* number of findings that are only warnings (rd_is_warning) */
    struct rd_summary summary;
};

#endif
