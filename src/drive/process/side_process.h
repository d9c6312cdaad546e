/*
 * side_process.h - work of the driver's that can take long, in a process of its own: a search with exec isolation,
 * the detectors that look at an execution of a million steps. What comes of it is in shared memory. So the driver
 * is always there to keep to the end of the command (deadline.h), whatever it is that takes long. Signals that ask
 * for the end are the driver's business.
 */
#ifndef RD_DRIVE_PROCESS_SIDE_PROCESS_H
#define RD_DRIVE_PROCESS_SIDE_PROCESS_H

#include "drive/deadline.h"

struct rd_side_process {
    void (*work)(void *ctx);
    enum rd_stage (*stage)(void *ctx); /* of the deadline: at the last one it is killed */
    void (*tick)(void *ctx);           /* called every now and then meanwhile; NULL: not */
    void *ctx;
    const volatile uint32_t *stop; /* in shared memory: the driver wants it to end; NULL: it has no way to say so */
};

enum rd_side_process_end { RD_SIDE_PROCESS_DONE, RD_SIDE_PROCESS_LATE, RD_SIDE_PROCESS_DIED };

/* Where no command has a deadline the work is done here. `status`: the wait status of one that died. */
enum rd_side_process_end rd_side_process(const struct rd_side_process *a, int *status);

#endif
