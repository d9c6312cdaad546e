/*
 * run_report.h - the result of `raddle run` as every format writes it: what was run, what is proved and under which
 * conditions, what was not seen. The command line fills a struct rd_run once; formats only read it.
 */
#ifndef RD_REPORT_RUN_REPORT_H
#define RD_REPORT_RUN_REPORT_H

#include "report/unseen_code.h"
#include "symbols/symbols.h"
#include "trace/sharing.h"

enum { RD_REASONS = 12, RD_REASON = 256 }; /* reasons in a list; bytes of one */

/* One way in which executions ended, with --outcomes. */
struct rd_outcome_shown {
    const char *output;    /* the part of the output that was kept */
    size_t output_size;    /* bytes of that part */
    uint64_t output_total; /* bytes that the program printed */
    const char *observed;  /* values of raddle_observe: "x=1 y=0,2" */
    const char *finding;   /* the kind of the finding; NULL: there is none */
    char *schedule;        /* path of a schedule that leads to this outcome; NULL: none was stored */
    uint64_t count;        /* executions */
    int status;
    bool ended; /* the program ended by itself: only then output and status mean anything */
    bool extra; /* only extra executions had it (result/found.h) */
};

/* A suppression: a line of a file of --suppress, or a comment in the source. */
struct rd_suppression_shown {
    char where[576];   /* "known.txt:3" */
    const char *text;  /* "race:bump" */
    uint64_t findings; /* distinct findings that it suppressed; 0: it was not used */
    bool meaningless;  /* Raddle has no findings of this kind */
};

/* A finding that a suppression has suppressed. */
struct rd_suppressed_shown {
    uint32_t by;     /* index of the suppression */
    char text[1900]; /* "data race of hits: a.c:12 in bump, a.c:14 in bump" */
};

/* An opaque function: its calls depend on every other operation. */
struct rd_opaque_shown {
    char function[128], library[64];
    uint64_t calls;
};

/* How far the search had come at a moment. */
struct rd_run_moment {
    uint64_t executions, orders;
};

enum { RD_RUN_BUILD_ID = 20 };

/* The result of a search, with the words that describe it. */
struct rd_given_option; /* report/text/given_options.h */

struct rd_run {
    const char *version, *program, *strategy, *isolation, *points;
    const char *focus;                     /* "at 'x'": the places of all preemptions; NULL or "": any place */
    const char *guarantee;                 /* the claim with its conditions, or why there is none */
    const char *error;                     /* the message about trouble in one line; NULL: there was none */
    const char *trouble;                   /* all that standard error says about it; NULL: there was none */
    const char *const *command;            /* the words of the command, from "raddle" on, NULL at the end */
    const struct rd_given_option *options; /* option_count of them: those that are not among these words */
    const char *const *args;               /* of the program, from argv[0] on, NULL at the end */
    const char
        *compilers; /* of the code whose accesses are points; NULL or "": not known, or no access is a point */
    const char *fell_back;   /* why another isolation was used than the one asked for; NULL or "" */
    const uint8_t *build_id; /* of the program */
    uint64_t seed;
    uint32_t build_id_size; /* 0: it has none */
    uint32_t workers;       /* of the search; 0 means 1 */
    uint32_t moment_count, option_count;
    int status; /* exit status of the command, as far as it is known when the documents are written */
    const char
        *one_worker; /* why fewer workers searched than asked for, or why the search was repeated; NULL or "" */
    const struct rd_summary *summary;
    const struct rd_run_moment *moments; /* moment_count of them, in their order, for documents that draw them */
    bool samples;                        /* the strategy is a sampler: it never ends by itself */
    bool finished; /* no execution is left within the strategy's bounds, and the claim holds for the seen operations
                    */
    bool all;      /* finished, and the bounds and the focus exclude no execution */
    bool complete; /* finished, no code was unseen, no assumption made: the claim holds for the program */
    char assumes[160]; /* conditions of the claim that were not checked; "": there are none */
    bool focused;      /* --focus: the claim is about some schedules only, and `proved` says which */
    char proved[RD_REASON * 4];
    double elapsed_s;
    uint64_t findings;                              /* distinct bugs */
    uint64_t warnings;                              /* distinct findings that are not certain bugs */
    uint64_t unreliable;                            /* among the warnings: races that unseen code may rule out */
    uint32_t minimised;                             /* schedules that minimising has worked on */
    uint32_t preemptions_before, preemptions_after; /* the sums over these schedules */
    uint64_t refuted; /* predicted deadlocks that an exhaustive search has disproved */
    uint32_t condition_count, void_count;
    char conditions[RD_REASONS][RD_REASON]; /* under which the claim holds */
    char voids[RD_REASONS][RD_REASON];      /* the reasons why the run proves no claim */
    char sentence[RD_REASON * 16];          /* the room for `guarantee` */
    struct rd_unseen_code blind;            /* the code that was not seen */
    char next[RD_REASON * 2];               /* options that would get further; "": there are none to recommend */
    const char *uncontrolled[16]; /* actions of the program that Raddle did not control: they void the claim */
    uint32_t uncontrolled_count;
    struct rd_opaque_shown opaque[16]; /* the functions that were called most */
    uint32_t opaque_count;
    char raced[RD_REASON * 4]; /* with --points sync: the sentence about memory that is a point, too; "": none is */
    const struct rd_outcome_shown *outcomes; /* NULL: --outcomes was not given */
    const struct rd_suppression_shown *suppressions;
    const struct rd_suppressed_shown *suppressed; /* as far as there is room */
    uint64_t outcomes_lost; /* executions with further outcomes, for which there was no room */
    uint32_t outcome_count, suppression_count, suppressed_count;
    bool outcomes_all;       /* the program has no other outcome */
    bool outcomes_seen;      /* the same, if unseen code makes no difference */
    bool outcomes_unordered; /* there may be others: the order of some output was not explored */
};

/*
 * claim_text.c: weighs the claim of the search. Fills in conditions, voids, uncontrolled, finished, all, complete
 * and the guarantee. `exhaustive`: the search covers every execution within its bounds when it ends; `otherwise` is
 * the sentence for a search without a claim. pre: run->blind and run->focus are set.
 */
void rd_weigh_claim(struct rd_run *run, const struct rd_run_result *result, bool exhaustive, const char *otherwise);
/* Voids the claim for a reason that was found after rd_weigh_claim. */
void rd_void_claim(struct rd_run *run, const char *why);

/* advice.c: recommends options for a search that was not finished. pre: rd_weigh_claim; elapsed_s is set. */
void rd_find_next(struct rd_run *run, const struct rd_run_result *result);

/* unknown_functions.c: fills in the opaque functions with their names. */
void rd_run_opaque(struct rd_run *run, const struct rd_summary *s, struct rd_symbols *symbols);

/* raced_memory.c: fills in `raced`. The list is that of rd_sharing_list(); count UINT32_MAX: all memory. */
void rd_run_raced(struct rd_run *run, const struct rd_shared *list, uint32_t count, struct rd_symbols *symbols);

#endif
