/*
 * session.h - the search of one command: started, run, judged, and begun again where that is necessary.
 *
 * The caller fills in what it wants, calls rd_session_set_strategy and rd_session_run, reads `result`, and calls
 * rd_session_close. session.c has the state machine.
 */
#ifndef RD_DRIVE_SESSION_H
#define RD_DRIVE_SESSION_H

#include "drive/process/worker.h"
#include "drive/take_result.h"
#include "search/search.h"

struct rd_session {
    struct rd_target *target;
    struct rd_config config;        /* `strategy` by rd_session_set_strategy */
    const struct rd_search *search; /* the strategy as it was parsed, with its parameters */
    struct rd_params params;
    enum rd_isolation isolation;               /* wanted; afterwards the one that was used, never AUTO */
    uint32_t jobs;                             /* the most workers; afterwards how many there were */
    bool jobs_later;                           /* start the second worker only when the search takes long */
    double execution_s_max;                    /* time of one execution; 0: see watchdog.h */
    void (*tick)(const struct rd_progress *p); /* called every now and then during the search; NULL: not */
    /* Fills in the program's globals if the strategy asks for variables; NULL: they stay unknown. */
    void (*globals)(struct rd_profile *p, const char *program);
    const struct rd_range *suppress; /* code whose findings are known (RD_NAMES_SUPPRESS_*) */
    uint32_t suppress_count;
    const char *rules;    /* for foreign functions, as lines (foreign/sync_rules.h); NULL: none */
    const char *expected; /* output that --expect-output names; NULL: any */
    uint64_t expected_size;

    /* results */
    struct rd_run_result result;
    struct rd_worker worker; /* the first worker; its files have the output of the last execution */
    uint32_t replaced;       /* times that a worker died and another process took its place (replace_worker.h) */
    bool killed;          /* a worker was killed outside an execution, which has nothing to do with the program */
    bool left_snapshot;   /* … and since then each execution was a process of its own */
    char one_worker[160]; /* why the search was begun again, or by one worker where there could be more */
    char fell_back[256];  /* why auto isolation did not use a faster one; "": it used the fastest */
};

const char *rd_isolation_name(enum rd_isolation i);
/* Parses a strategy: the only place in the driver that does. Returns 0, or -1 with a message. */
int rd_session_set_strategy(struct rd_session *s, const char *text, struct rd_error *error);
/* Runs the search. Returns 0, or -1 with a message if the program could not be run at all. */
int rd_session_run(struct rd_session *s, struct rd_error *error);
void rd_session_close(struct rd_session *s);
/* Returns why only one worker can search, in words that follow the strategy's name; NULL: several can. */
const char *rd_session_alone(const struct rd_session *s);

/* ---- for the parts of the session: session_open.c, run_exec.c, worker_team.c, retry.c ---- */

/* Opens a worker for the search of the session; it is not started. Returns 0, or -1 with a message. */
int rd_session_open(const struct rd_session *s, struct rd_worker *w, struct rd_error *error);
/* Explains why the runtime did not take the program over. */
void rd_session_not_attached(const struct rd_worker *w, const struct rd_target *t, struct rd_error *error);
/*
 * run_exec.c: exec isolation. The search runs in a side process of the driver, and each execution is a process that
 * the session's worker, which is open, starts. Returns 0, or -1 with a message.
 */
int rd_session_run_exec(struct rd_session *s, struct rd_error *error);

#endif
