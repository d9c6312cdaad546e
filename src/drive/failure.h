/* failure.h - the ways in which a search can fail, judged by the workers that it leaves behind. */
#ifndef RD_DRIVE_FAILURE_H
#define RD_DRIVE_FAILURE_H

#include "drive/process/worker.h"
#include "result/summary.h"

enum rd_failure {
    RD_FAILURE_NONE,
    RD_FAILURE_DIED,    /* a worker ended without a result, or its result is damaged */
    RD_FAILURE_DAMAGED, /* the program has written into the memory of the search */
    RD_FAILURE_TEAM,    /* a team of several workers failed in another way */
    RD_FAILURE_SHARED,  /* memory has turned out to be shared, so there are more points (trace/sharing.h) */
    RD_FAILURE_NO_FORK, /* fork cannot isolate the executions of this program */
};

/*
 * Judges a worker whose process has ended, by its summary. `sound`: no check has found damage in the memory that
 * the worker wrote.
 */
enum rd_failure rd_failure_of_worker(const struct rd_worker *w, const struct rd_summary *s, bool sound);

#endif
