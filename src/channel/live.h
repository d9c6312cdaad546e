/*
 * live.h - the part of the channel through which the driver and the tested process watch each other while a search
 * runs. Each member has one writer, named beside it; the other side reads it with atomic operations.
 */
#ifndef RD_CHANNEL_LIVE_H
#define RD_CHANNEL_LIVE_H

#include "trace/task_state.h"
#include "trace/types.h"

/* How much of the search a process takes with it when it dies (explore/resume.h). */
enum rd_phase {
    RD_PHASE_SEARCH, /* the search runs: its memory may be in the middle of a change */
    RD_PHASE_RUN,    /* an execution runs: only that is lost */
    RD_PHASE_WAIT,   /* the worker waits for others: nothing is lost */
    RD_PHASE_TOLD,   /* the search is over, and the result is complete */
};

/* Why the driver wants the search to end. */
enum rd_stop { RD_STOP_NOT, RD_STOP_SIGNAL, RD_STOP_TIME };

struct rd_live {
    /* written by the tested process */
    uint32_t attached; /* the runtime found the channel */
    uint32_t outside;  /* the program opened a file to write or took an address: a second process might disturb it */
    uint32_t beats;    /* changes as long as the search makes progress, also while it waits for other workers */
    int32_t explorer_pid, execution_pid;
    uint64_t sequence;    /* number of the execution that is running, from 1 */
    uint32_t phase;       /* enum rd_phase */
    rd_tid running;       /* the thread that is running */
    uint16_t pad;
    int32_t running_task; /* its number in the kernel, where that is not the process's */
    uint32_t pad2;
    uint64_t time_max_ns; /* what the search may use of the command's time; 0: no limit */

    /* written by the driver */
    uint32_t stop;             /* enum rd_stop: end the search after this execution */
    uint16_t shot_by_watchdog; /* it has sent the execution its signal */
    uint16_t abandoned;        /* it has ended the execution because the search is to stop */
    struct rd_task_state stuck;
    uint64_t redo;       /* of the execution that a process died in: rd_channel_walk of … */
    uint32_t redo_steps; /* … its first steps, with which it has to begin again */
    uint32_t pad3;
};

#endif
