/*
 * side_process.h - runs work of the driver that may take long in a process of its own: a search with exec
 * isolation, the detectors that look at an execution of a million steps. The work leaves its result in shared
 * memory. The driver meanwhile watches the deadline of the command (deadline.h) and kills the side process when the
 * deadline has passed. The side process blocks SIGINT, SIGTERM and SIGHUP: the driver handles them.
 */
#ifndef RD_DRIVE_PROCESS_SIDE_PROCESS_H
#define RD_DRIVE_PROCESS_SIDE_PROCESS_H

#include "drive/deadline.h"

struct rd_side_process {
    void (*work)(void *ctx);
    enum rd_stage (*stage)(void *ctx); /* of the deadline; at RD_STAGE_LAST the process is killed */
    void (*tick)(void *ctx);           /* the driver calls it about every 20 ms meanwhile; NULL: it does not */
    void *ctx;
    const volatile uint32_t
        *stop; /* in shared memory; not 0: the driver asks the work to end. NULL: it never asks */
};

enum rd_side_process_end {
    RD_SIDE_PROCESS_DONE, /* `work` has returned */
    RD_SIDE_PROCESS_LATE, /* the process was killed because of the deadline */
    RD_SIDE_PROCESS_DIED, /* the process was killed in another way; *status is its wait status */
};

/* If the command has no deadline, or no process can be started, the work is done in this process. */
enum rd_side_process_end rd_side_process(const struct rd_side_process *a, int *status);

#endif
