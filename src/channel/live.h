/*
 * live.h - the part of the channel through which the driver and the tested process watch each other while a search
 * runs. Each group of members is written by the side that is named above it. The other side writes there only while
 * the first does not run: the driver when it prepares or ends a process, the explorer when it clears the state of
 * the last execution (rd_channel_reset). No lock protects the members, so a reader may see some of them change.
 */
#ifndef RD_CHANNEL_LIVE_H
#define RD_CHANNEL_LIVE_H

#include "trace/task_state.h"
#include "trace/types.h"

/* How much of the search is lost if the process dies now (explore/resume.h). */
enum rd_phase {
    RD_PHASE_SEARCH, /* all of it: the search may be in the middle of a change of its memory */
    RD_PHASE_RUN,    /* only the running execution */
    RD_PHASE_WAIT,   /* no part: the worker waits for its team */
    RD_PHASE_TOLD,   /* no part: the search is over, and its result is complete */
};

/* Why the driver wants the search to end. */
enum rd_stop { RD_STOP_NOT, RD_STOP_SIGNAL, RD_STOP_TIME };

struct rd_live {
    /* written by the tested process */
    uint32_t attached; /* the runtime found the channel */
    uint32_t outside;  /* the program wrote a file or bound an address: a second process might disturb it */
    uint32_t beats;    /* changes as long as the search makes progress, also while it waits for other workers */
    int32_t explorer_pid, execution_pid;
    uint64_t sequence; /* number of the execution that is running, from 1 */
    uint32_t phase;    /* enum rd_phase */
    rd_tid running;    /* the thread that is running */
    uint16_t pad;
    int32_t running_task; /* the kernel's number of its task, if that is not the main thread of the process */
    uint32_t pad2;
    uint64_t time_max_ns; /* time that the search may use; 0: no limit */

    /* written by the driver */
    uint32_t stop;             /* enum rd_stop: end the search after this execution */
    uint16_t shot_by_watchdog; /* the watchdog has killed the execution */
    uint16_t abandoned;        /* the driver has ended the execution because the search is to stop */
    struct rd_task_state stuck;
    uint64_t redo; /* rd_channel_hash_steps of the first `redo_steps` steps of the execution in which a process
                      died: the process that repeats the execution must come to the same steps */
    uint32_t redo_steps;
    uint32_t pad3;
};

#endif
