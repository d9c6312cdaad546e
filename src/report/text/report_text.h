/*
 * text.h - reports for people, on a terminal or in a log.
 *
 * rd_print_report is one finding: what happened and where, who waits for whom, where every thread was, the
 * execution in columns, and how to replay it. rd_print_summary is the end of a run.
 */
#ifndef RD_REPORT_TEXT_REPORT_TEXT_H
#define RD_REPORT_TEXT_REPORT_TEXT_H

#include "report/unseen_code.h"
#include "report/report.h"

/* What of the environment the command that replays needs, as shell words before it; mostly "". */
const char *rd_replay_settings(char *to, size_t room);
void rd_print_report(FILE *out, const struct rd_report *r, const struct rd_look *look);

enum { RD_REASONS = 12, RD_REASON = 256 };

/* What some executions ended with. */
struct rd_outcome_shown {
    const char *output;    /* as much of it as was kept */
    size_t output_size;    /* … */
    uint64_t output_total; /* of all of it */
    const char *observed;  /* "x=1 y=0,2" */
    const char *finding;   /* the kind; NULL: none */
    char *schedule;        /* where it is stored; NULL: nowhere */
    uint64_t count;
    int status;
    bool ended; /* by itself: output and status count */
};

/* A function whose calls depend on everything. */
struct rd_opaque_shown {
    char function[128], library[64];
    uint64_t calls;
};

/* What a search has to say at its end. */
struct rd_run {
    const char *version, *program, *strategy, *isolation, *points;
    const char *focus;      /* "at 'x'": preemptions only there; NULL or "": anywhere */
    const char *guarantee;  /* what the search has proved; NULL: nothing */
    const char *error;      /* what the trouble was, for JSON; NULL: none */
    const char *compilers;  /* of the accesses that are points; NULL or "": not known, or none is */
    const char *fell_back;  /* why another isolation was used than wanted; NULL or "" */
    uint32_t workers;       /* that searched; 0 is as 1 */
    const char *one_worker; /* why there was one only, where there could be several; NULL or "" */
    const struct rd_summary *summary;
    bool samples;  /* the search never ends by itself */
    bool finished; /* nothing is left to run within the strategy's bounds, and what is proved holds of what is seen
                    */
    bool all;      /* … and there is nothing beyond the bounds */
    bool complete; /* finished, nothing was unseen or assumed: what is proved holds of the program */
    char assumes[160]; /* what it holds on condition of; "": nothing */
    bool focused;      /* … or beyond the focus: what is proved is of some schedules only, and `proved` says so */
    char proved[RD_REASON * 4];
    double elapsed_s;
    uint64_t findings;                              /* distinct ones */
    uint64_t warnings;                              /* … that are no bugs yet */
    uint64_t unreliable;                            /* … of those: races that unseen code may rule out */
    uint32_t minimised;                             /* schedules that were made simpler, or could not be */
    uint32_t preemptions_before, preemptions_after; /* of all those */
    uint64_t refuted; /* predictions that a search through everything has shown to be wrong */
    uint32_t condition_count, void_count;
    char conditions[RD_REASONS][RD_REASON]; /* under which the guarantee holds */
    char voids[RD_REASONS][RD_REASON];      /* why there is none after all */
    char sentence[RD_REASON * 16];          /* of guarantee */
    struct rd_unseen_code blind;            /* what was not seen */
    char next[RD_REASON * 2];               /* what to type next; "": there is nothing to say */
    const char *uncontrolled[10]; /* what the program did that was not under control: nothing is proved then */
    uint32_t uncontrolled_count;
    struct rd_opaque_shown opaque[16]; /* those that were called most */
    uint32_t opaque_count;
    const struct rd_outcome_shown *outcomes; /* NULL: they were not asked for */
    uint32_t outcome_count;
    uint64_t outcomes_lost;  /* executions with others */
    bool outcomes_all;       /* there are no others */
    bool outcomes_seen;      /* … if code that was not seen does not make a difference */
    bool outcomes_unordered; /* … because of output whose order was not explored */
};

/*
 * claim_text.c: what the summary's claim is worth. Fills conditions, voids, uncontrolled, finished, all, complete
 * and the guarantee. `exhaustive`: the search covers everything when it ends; `otherwise` is what it says when it
 * has no claim. What was not seen must be known before.
 */
void rd_weigh_claim(struct rd_run *run, const struct rd_run_result *result, bool exhaustive, const char *otherwise);
/* Takes the claim back, because of something that turned out after it was weighed. */
void rd_void_claim(struct rd_run *run, const char *why);

/* advice.c: what can be done about a search that was not finished; after rd_weigh_claim, when the time is known. */
void rd_find_next(struct rd_run *run, const struct rd_run_result *result);

/* Is there a unit that was not compiled without optimisation? */
bool rd_compilers_optimise(const char *compilers);

void rd_print_summary(FILE *out, const struct rd_run *run, const struct rd_look *look);

void rd_print_outcomes(FILE *out, const struct rd_run *run, const struct rd_look *look);

/*
 * Why an execution did not follow its plan. `replay`: the plan was a recorded schedule; otherwise it was an
 * execution of this very run, and the program is not deterministic. The report's schedule gives modules and
 * threads; its steps may be missing.
 */
void rd_print_divergence(FILE *out, const struct rd_report *r, const struct rd_divergence *d, bool replay,
                         const struct rd_look *look);
/* The program did what Raddle cannot control. `pc`: in the code that is not seen; 0: none is to be named. */
void rd_print_refused(FILE *out, const char *program, const char *message, struct rd_symbols *symbols, rd_place pc,
                      const struct rd_look *look);

/* ---- parts of the report, in the order in which they come ---- */

void rd_print_finding(FILE *out, const struct rd_report *r, const struct rd_look *look);
/* The two accesses of a data race; false: they are not known. */
bool rd_print_race(FILE *out, const struct rd_report *r, const struct rd_look *look);
/* The threads of a predicted deadlock; false: they are not known. */
bool rd_print_circle(FILE *out, const struct rd_report *r, const struct rd_look *look);
/* What each thread of a livelock does in a round; nothing when it does not go round. */
void rd_print_round(FILE *out, const struct rd_report *r, const struct rd_look *look);
/* The block of the heap that it is about, if any. */
void rd_print_block(FILE *out, const struct rd_report *r, const struct rd_look *look);
/* Which order of operations makes it fail, and what decides it, as far as that is known. */
void rd_print_why(FILE *out, const struct rd_report *r, const struct rd_look *look);
void rd_print_deadlock(FILE *out, const struct rd_report *r, const struct rd_look *look);
void rd_print_threads(FILE *out, const struct rd_report *r, const struct rd_look *look);
void rd_print_columns(FILE *out, const struct rd_report *r, const struct rd_look *look);

/* ---- terminal.c ---- */

enum rd_paint { RD_UNHOOKED, RD_BOLD, RD_DIM, RD_RED, RD_GREEN, RD_YELLOW };
/* Escape sequences, "" without colour. A thread has its own colour. */
const char *rd_paint(const struct rd_look *look, enum rd_paint p);
const char *rd_paint_thread(const struct rd_look *look, rd_tid tid);
/* Columns that a text takes on the screen (UTF-8), and as many of its bytes as fit into `columns`. */
unsigned rd_paint_width(const char *text);
size_t rd_paint_fit(const char *text, unsigned columns);
/* Prints the text cut to so many columns, with a mark where it was cut; returns the columns used. */
unsigned rd_paint_cut(FILE *out, const char *text, unsigned columns, const struct rd_look *look);

/* unknown_functions.c: names the functions whose calls depend on everything; prints them; the same as JSON. */
struct rd_symbols;
struct rd_json;
void rd_run_opaque(struct rd_run *run, const struct rd_summary *s, struct rd_symbols *symbols);
void rd_print_opaque(FILE *out, const struct rd_run *run, const struct rd_look *look);
void rd_json_opaque(struct rd_json *j, const struct rd_run *run);

#endif
