/* task_state.h - what the running thread of an execution did when the watchdog looked. */
#ifndef RD_TRACE_TASK_STATE_H
#define RD_TRACE_TASK_STATE_H

#include "base/base.h"

enum rd_task_state_how {
    RD_TASK_UNKNOWN, /* the watchdog has not looked */
    RD_TASK_RUNNING, /* it runs, and has taken no step for long */
    RD_TASK_BUSY,    /* it runs and takes steps */
    RD_TASK_CALL,    /* it is blocked in a system call */
    RD_TASK_STATES,
};

/* The driver writes it before it sends the signal that would end the system call. */
struct rd_task_state {
    uint32_t how; /* enum rd_task_state_how */
    uint32_t pad;
    int64_t number; /* of the system call */
    uint64_t first; /* its first argument */
    char text[192]; /* the call in words: "read(5) from a pipe" */
};

#endif
