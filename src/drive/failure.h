/* failure.h - what can be wrong with a search whose processes have ended. */
#ifndef RD_DRIVE_FAILURE_H
#define RD_DRIVE_FAILURE_H

#include "drive/process/worker.h"
#include "result/summary.h"

enum rd_failure {
    RD_FAILURE_NONE,
    RD_FAILURE_DIED,    /* a worker ended without a result, or its result is damaged */
    RD_FAILURE_DAMAGED, /* the program has written into the memory of the search */
    RD_FAILURE_TEAM,    /* anything else, with several workers */
    RD_FAILURE_SHARED,  /* memory has turned out to be shared, so there are more points (trace/sharing.h) */
    RD_FAILURE_NO_FORK, /* fork cannot isolate the executions of this program */
};

/* Judges a worker whose process has ended by its summary. `sound`: nothing that it wrote is known to be damaged. */
enum rd_failure rd_failure_of_worker(const struct rd_worker *w, const struct rd_summary *s, bool sound);

#endif
