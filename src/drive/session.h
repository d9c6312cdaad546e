/*
 * session.h - the search of one command. A session starts the workers, waits for them, and judges and adds up their
 * results; it repeats a search that has failed (retry.h).
 *
 * The caller fills in the settings, calls rd_session_set_strategy and rd_session_run, reads `result`, and calls
 * rd_session_close.
 */
#ifndef RD_DRIVE_SESSION_H
#define RD_DRIVE_SESSION_H

#include "drive/process/worker.h"
#include "drive/take_result.h"
#include "search/search.h"

struct rd_session {
    /* settings */
    struct rd_target *target;
    struct rd_config config;        /* rd_session_set_strategy fills in `strategy` */
    const struct rd_search *search; /* the parsed strategy, and its parameters */
    struct rd_params params;
    enum rd_isolation isolation;               /* as asked for; after the run the one that was used, never AUTO */
    uint32_t jobs;                             /* the most workers; after the run the number of workers that ran */
    bool jobs_later;                           /* start the other workers only if the search takes long */
    double execution_s_max;                    /* limit for one execution; 0: that of the watchdog (watchdog.h) */
    void (*tick)(const struct rd_progress *p); /* called about every 20 ms during the search; NULL: not called */
    /* Fills in the program's global variables for a strategy that profiles memory; NULL: they stay unknown. */
    void (*globals)(struct rd_profile *p, const char *program);
    const struct rd_suppressed *suppress; /* findings that are not reported */
    uint32_t suppress_count;
    const char *rules;    /* for functions without hooks, as lines (foreign/sync_rules.h); NULL: none */
    const char *expected; /* the contents of the file of --expect-output; NULL: any output will do */
    uint64_t expected_size;

    /* results */
    struct rd_run_result result;
    struct rd_worker worker; /* the first worker; its files hold the output of the last execution */
    uint32_t replaced;       /* how often the process of a worker was replaced (replace_worker.h) */
    bool killed;             /* a worker was killed outside an execution, so not because of the program */
    bool left_snapshot;      /* after replacements, each execution got a process of its own */
    char one_worker[160];    /* why fewer workers searched than asked for, or why the search was repeated */
    char fell_back[256];     /* why auto isolation did not take a faster one; "": it took the fastest */
};

const char *rd_isolation_name(enum rd_isolation i);
/* Parses a strategy; nothing else in the driver parses one. Returns 0, or -1 with a message. */
int rd_session_set_strategy(struct rd_session *s, const char *text, struct rd_error *error);
/* Runs the search. Returns 0, or -1 with a message if the program could not be run at all. */
int rd_session_run(struct rd_session *s, struct rd_error *error);
void rd_session_close(struct rd_session *s);
/* Returns why only one worker can search, for the user; NULL: several workers can. */
const char *rd_session_alone(const struct rd_session *s);

/* ---- for the parts of the session: session_open.c, run_exec.c, worker_team.c, retry.c ---- */

/* Opens a worker for the search of the session, but does not start it. Returns 0, or -1 with a message. */
int rd_session_open(const struct rd_session *s, struct rd_worker *w, struct rd_error *error);
/* Writes a message that says why the runtime did not take the program over. */
void rd_session_not_attached(const struct rd_worker *w, const struct rd_target *t, struct rd_error *error);
/*
 * run_exec.c: exec isolation. The search runs in a side process of the driver, and each execution is a process that
 * the session's worker, which is open, starts. `status` becomes 0, or the wait status of the side process if that
 * died: then only the findings count. Returns 0, or -1 with a message.
 */
int rd_session_run_exec(struct rd_session *s, int *status, struct rd_error *error);

#endif
