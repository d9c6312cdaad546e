/*
 * report.h - what every form of report (text, JSON, HTML) is made from, and the words they share.
 *
 * A report is about one recorded execution: a schedule, live out of a channel or read from a file. Everything a
 * report needs is in it; nothing is asked of the process that ran. Values from a file are not to be trusted as
 * indexes: thread numbers in operations are checked where they are used.
 */
#ifndef RD_REPORT_REPORT_H
#define RD_REPORT_REPORT_H

#include "symbols/symbols.h"
#include "file/schedule.h"

#include <stdio.h>

/* How it is to look. */
struct rd_look {
    unsigned width;    /* of the terminal; 0: 100 */
    unsigned rows_max; /* steps shown of an execution; 0: all */
    bool colour, unicode;
};

struct rd_report {
    const struct rd_schedule *schedule;
    struct rd_symbols *symbols; /* of schedule->modules */
    const char *schedule_path;  /* where it was stored; NULL: nowhere */
    const char *output;         /* what the program printed, its end if that is long; NULL: not to be shown */
    size_t output_size;
    size_t output_cut;  /* bytes that were printed before it */
    uint64_t execution; /* number of the execution that showed it, from 1; 0: not known */
    bool warning;       /* it is no bug as long as no execution shows it */
};

enum { RD_PHRASE = 256, RD_LOCATION = 560 };

/* Where the finding is. Empty or 0: not known. */
struct rd_where {
    char file[512];  /* as the program calls it */
    char path[1024]; /* a path to read it by */
    char function[256];
    int line;
};

/* ---- words.c: names of threads, places, values ---- */

/* T0 (main), T1, T2 "worker" */
void rd_words_thread(const struct rd_report *r, rd_tid tid, char *to, size_t room);
/* What a thread does that is about no operation: "running", or "stuck" where the hang is. */
const char *rd_words_running(const struct rd_report *r, rd_tid tid);
/* The place of data, short enough for a column. */
void rd_words_data(const struct rd_report *r, rd_place place, char *to, size_t room);
/* A value as a reader expects it: small ones in decimal, addresses in hexadecimal or as a place. */
void rd_words_value(uint64_t value, uint32_t size, char *to, size_t room);
/* The path as seen from the program's directory. */
const char *rd_words_path(const struct rd_report *r, const char *path);
/* "file.c:12", with the path or only the file's name; the function without debug information; "" for NULL. */
void rd_words_frame(const struct rd_report *r, const struct rd_frame *f, bool path, char *to, size_t room);
/* 1234567 as 1,234,567 */
const char *rd_words_number(uint64_t n, char to[32]);
/* What of the environment the command that replays needs, as shell words before it; mostly "". */
const char *rd_replay_settings(char *to, size_t room);
const char *rd_words_signal(int sig);
/* What people call a kind of finding. */
const char *rd_words_kind(unsigned kind);

/* ---- step_phrase.c: what an operation did, in a few words ---- */

/* Who waits at which condition, to tell whom a signal wakes. Zero at the start; give it every step in order. */
struct rd_waits {
    struct {
        rd_place cond;
        rd_tid tid;
        bool signalled;
    } at[RD_TID_MAX];
    uint32_t count;
};

/* The phrase of a step: "lock m", "read counter = 0", "create T1", "signal cv -> T2". */
void rd_phrase_step(const struct rd_report *r, struct rd_waits *w, uint32_t step, char *to, size_t room);
/* Only keeps track of who waits, for a step that is not shown. */
void rd_phrase_skip(const struct rd_report *r, struct rd_waits *w, uint32_t step);
/* What a thread is about to do or was to do: "lock m", "read counter". */
void rd_phrase_pending(const struct rd_report *r, const struct rd_op *op, char *to, size_t room);
void rd_phrase_op(const struct rd_report *r, unsigned kind, rd_place place, rd_place place2, uint64_t arg, char *to,
                  size_t room);

/* ---- facts.c: what is worked out from the record ---- */

/* Which threads take part in this execution (numbers may have gaps), and how many. */
uint32_t rd_facts_used(const struct rd_report *r, bool used[RD_TID_MAX]);
const struct rd_frame *rd_facts_step_frame(const struct rd_report *r, uint32_t step);
const struct rd_frame *rd_facts_pending_frame(const struct rd_report *r, rd_tid tid);
void rd_facts_where(const struct rd_report *r, struct rd_where *w);
/* The other place that makes it a bug: where the lock was taken, the object destroyed …; NULL: there is none. */
const struct rd_frame *rd_facts_other(const struct rd_report *r);
/* What happened, in one sentence. */
void rd_facts_message(const struct rd_report *r, char *to, size_t room);
/* Fills in file, line and function of a finding that does not know them itself (a crash). */
void rd_facts_complete(const struct rd_report *r, struct rd_finding *f);
/* Of a livelock that goes round: the first step of the last round, from 0; 0: it is none. */
uint32_t rd_facts_round(const struct rd_schedule *s);
/* Whom a blocked thread waits for, or RD_TID_NONE. */
rd_tid rd_facts_waits_for(const struct rd_report *r, rd_tid tid);
/* It is there, and cannot go on. */
bool rd_facts_blocked(const struct rd_report *r, rd_tid tid);
/* A cycle of threads that wait for each other: its length (0: none), in order. */
uint32_t rd_facts_cycle(const struct rd_report *r, rd_tid cycle[RD_TID_MAX]);
/* Where there is none: the longest line of threads in which one keeps from another what it holds; 0: none does. */
uint32_t rd_facts_chain(const struct rd_report *r, rd_tid chain[RD_TID_MAX]);
/* Places that matter to the finding: what the blocked wait for, or the data that several threads touch. */
uint32_t rd_facts_variables(const struct rd_report *r, rd_place *to, uint32_t max);
/* The thread's stack at the end: frames without the runtime's, innermost first. Returns how many were written. */
uint32_t rd_facts_stack(const struct rd_report *r, rd_tid tid, struct rd_frame *to, uint32_t max);

/* ---- race.c ---- */

/* The steps that race, the earlier one first; false: the finding is no race, or the file does not tell. */
bool rd_facts_pair(const struct rd_report *r, uint32_t *first, uint32_t *second);
void rd_race_message(const struct rd_report *r, char *to, size_t room);
/*
 * Of an unreliable race: the calls of unseen code that may order the two, by the thread of the earlier access and
 * by the other's, as steps from 0, and their names. False: it is none, or the file does not tell.
 */
bool rd_race_unseen(const struct rd_report *r, uint32_t step[2], char name[2][RD_PHRASE]);
/* Of an unreliable race: the program's functions with inline assembly that may order the two; how many. */
uint32_t rd_race_inline(const struct rd_report *r, char *const **names);

/* ---- heap.c ---- */

/* Where the block of the finding was made or freed; NULL: it was not, or there is no block. */
const struct rd_frame *rd_facts_block(const struct rd_report *r, bool freed);
/* "freed by T2 in drop at list.c:12", or nothing. */
void rd_words_block(const struct rd_report *r, bool freed, char *to, size_t room);

/* ---- why_text.c ---- */

/* One of the operations whose order matters. */
struct rd_told {
    rd_tid tid;
    uint32_t step; /* from 1; 0: the execution did not come to it */
    const struct rd_frame *frame;
    char phrase[RD_PHRASE];
};

/* In which order they came; how many, 0: not known. An execution passed in which the last two came the other way.
 */
uint32_t rd_why_order(const struct rd_report *r, struct rd_told to[3]);
/* After which step every execution fails, and how far that is established; "": nothing is known. */
void rd_why_decided(const struct rd_report *r, char *to, size_t room);
/* Is it another one than was found? */
bool rd_why_simpler(const struct rd_schedule *s);
/* How few preemptions it takes; "": nothing is known about that. */
void rd_why_preemptions(const struct rd_report *r, char *to, size_t room);

/* ---- source_lines.c ---- */

/* Calls `line` for the lines of a source file around one of them. False: it cannot be read. */
bool rd_source_around(const char *path, int line, int before, int after,
                      void (*each)(void *ctx, int number, const char *text), void *ctx);

#endif
