/*
 * row_selection.h - selects the steps of an execution that a report shows, and which other steps are folded into
 * one line.
 */
#ifndef RD_REPORT_ROW_SELECTION_H
#define RD_REPORT_ROW_SELECTION_H

#include "report/report.h"

enum rd_row {
    RD_ROW_SHOWN,
    RD_ROW_LEFT_OUT,
    RD_ROW_REPEATED, /* the step belongs to a round of a loop that repeats the round before it */
    RD_ROW_LIBRARY,  /* accesses in code of a library, for one line of the program */
};

/* Fills in rows[0..step_count) with enum rd_row; about `max` lines are needed for them, or all if `max` is 0. */
void rd_row_selection_choose(const struct rd_report *r, uint32_t max, uint8_t *rows);
/*
 * Chooses by what matters to the finding alone, where loops and libraries are not to be folded: `max` steps are
 * RD_ROW_SHOWN, or somewhat fewer, and the others RD_ROW_LEFT_OUT.
 */
void rd_row_selection_fit(const struct rd_report *r, uint32_t max, uint8_t *rows);

/* How much a step matters to the finding, the most important rank first. */
enum rd_row_rank {
    RD_RANK_EXPLAINS,     /* it explains the finding, or decides it */
    RD_RANK_USES,         /* a use of the same memory or object, a preemption, the beginning of a thread */
    RD_RANK_SYNCHRONISES, /* synchronisation, a switch to another thread */
    RD_RANK_OTHER
};
/* Fills in ranks[0..step_count) with enum rd_row_rank. */
void rd_row_selection_rank(const struct rd_report *r, uint8_t *ranks);

/* Steps that follow each other and are not shown. */
struct rd_row_gap {
    uint32_t first, count; /* steps, from 0 */
    uint32_t repeated;     /* so many of them are RD_ROW_REPEATED */
    uint32_t objects;      /* so many of them use an object that the finding is about */
    bool library;          /* all are RD_ROW_LIBRARY, of one line of the program */
};

/* The gap that begins at this step, which is not shown. */
struct rd_row_gap rd_row_gap_at(const struct rd_report *r, const uint8_t *rows, uint32_t step);
/* gap_words.c: the line in its place: "... 47 steps of T1". */
void rd_words_gap(const struct rd_report *r, const struct rd_row_gap *g, char *to, size_t room);

#endif
