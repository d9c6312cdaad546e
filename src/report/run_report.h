/*
 * run_report.h - the result of `raddle run` as every format writes it: what was run, what is proved and under which
 * conditions, what was not seen. The command line fills a struct rd_run once; formats only read it.
 */
#ifndef RD_REPORT_RUN_REPORT_H
#define RD_REPORT_RUN_REPORT_H

#include "report/unseen_code.h"
#include "symbols/symbols.h"

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
void rd_weigh_claim(struct rd_run *run, const struct rd_channel *c, bool exhaustive, const char *otherwise);
/* Takes the claim back, because of something that turned out after it was weighed. */
void rd_void_claim(struct rd_run *run, const char *why);

/* advice.c: what can be done about a search that was not finished; after rd_weigh_claim, when the time is known. */
void rd_find_next(struct rd_run *run, const struct rd_channel *c);

/* Is there a unit that was not compiled without optimisation? */
bool rd_compilers_optimise(const char *compilers);

/* unknown_functions.c: fills in the functions whose calls depend on everything, with their names. */
void rd_run_opaque(struct rd_run *run, const struct rd_summary *s, struct rd_symbols *symbols);

#endif
