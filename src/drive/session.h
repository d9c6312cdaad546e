/*
 * session.h - one run of Raddle on one program: the search in the isolation that fits, and the executions of a
 * recorded schedule.
 */
#ifndef RD_DRIVE_SESSION_H
#define RD_DRIVE_SESSION_H

#include "drive/process/worker.h"
#include "file/schedule.h"

struct rd_session {
    struct rd_target *target;
    struct rd_config config;
    enum rd_isolation isolation;              /* wanted; afterwards what was used, never AUTO */
    uint32_t jobs;                            /* workers at most; afterwards how many there were */
    bool jobs_later;                          /* … but only one as long as there is little to do */
    double execution_s_max;                   /* of one execution; 0: see watchdog.h */
    void (*tick)(const struct rd_channel *c); /* as in struct rd_worker */
    /* Fills in the program's globals, when the strategy asks for variables; NULL: they stay unknown. */
    void (*globals)(struct rd_profile *p, const char *program);
    const struct rd_range *suppress; /* code whose findings are known (RD_NAMES_SUPPRESS_*) */
    uint32_t suppress_count;
    const char *rules;    /* for foreign functions, as lines (foreign/sync_rules.h); NULL: none */
    const char *expected; /* output, of --expect-output; NULL: any */
    uint64_t expected_size;
    /* results */
    struct rd_worker worker; /* its channel holds summary, findings, modules; open until rd_session_close */
    uint32_t revived;     /* workers that died and were replaced (replace_worker.h), one as often as it did … */
    bool killed;          /* one died when it was in no execution: that has nothing to do with the program */
    bool left_snapshot;   /* … and since then had a process for each execution */
    char one_worker[160]; /* why the search was begun again, or by one worker where there could be more */
    char fell_back[256];  /* why auto isolation did not use a faster one; empty: there is none */
};

const char *rd_isolation_name(enum rd_isolation i);
/* Runs the search. Returns 0, or -1 with a message when the program could not be run at all. */
int rd_session_run(struct rd_session *s, struct rd_error *error);
void rd_session_close(struct rd_session *s);
/* Can several workers search? Else why not, in words that follow the strategy's name, or "". */
const char *rd_session_alone(const struct rd_session *s);
/* A worker for the search of the session; it is not started. */
int rd_session_open(const struct rd_session *s, struct rd_worker *w, struct rd_error *error);
/* Starts the program and waits for its end. Returns 0, or -1 with a message. */
int rd_session_wait(struct rd_worker *w, const struct rd_target *t, int *status, struct rd_error *error);

/*
 * Runs one schedule again: strictly, with values and stacks recorded. The worker's channel holds the outcome;
 * close it with rd_worker_close.
 */
int rd_session_replay(struct rd_worker *w, const struct rd_target *t, const struct rd_schedule *schedule,
                      enum rd_backend backend, double execution_s_max, struct rd_error *error);
/* Is there time for one, as far as the end of the command is concerned (deadline.h)? */
bool rd_session_may_replay(void);
/* The same, but only prepared: the caller starts the process (a debugger does). */
int rd_session_prepare(struct rd_worker *w, const struct rd_target *t, const struct rd_schedule *schedule,
                       enum rd_backend backend, struct rd_error *error);

/*
 * The schedule of a finding, or of the outcome in a channel. Steps and threads are borrowed from the channel.
 * `modules` of the schedule are the channel's.
 */
void rd_session_schedule(struct rd_schedule *to, const struct rd_target *t, struct rd_channel *c,
                         const struct rd_found *found);

/*
 * Stores a schedule without what may differ between two executions of it: where the clock found a thread that
 * hangs.
 */
int rd_session_store(const struct rd_schedule *s, const char *path, struct rd_error *error);

#endif
