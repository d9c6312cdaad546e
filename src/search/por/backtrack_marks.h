/*
 * backtrack_marks.h - what an execution says about the alternatives at its steps: which of them a partial-order
 * reduction would take up, and which it would let sleep. For priorities only: nothing is left out because of it.
 */
#ifndef RD_SEARCH_POR_BACKTRACK_MARKS_H
#define RD_SEARCH_POR_BACKTRACK_MARKS_H

#include "search/delta_tree.h"
#include "trace/event.h"

enum {
    RD_BACKTRACK_RACE = 1,   /* dynamic partial-order reduction would add it (Flanagan and Godefroid, POPL 2005) */
    RD_BACKTRACK_FIRM = 2,   /* … and not only because it could not tell better */
    RD_BACKTRACK_ASLEEP = 4, /* it would be in the sleep set */
};

struct rd_backtrack_marks {
    const struct rd_record *record;
    struct rd_event *event; /* by step */
    uint32_t *next;         /* by step: the next one of its thread; UINT32_MAX: none */
    uint32_t *first;        /* by thread: its first step */
    uint32_t *birth;        /* by thread: the step that created it, + 1; 0: it was there before */
    uint32_t *base;         /* by step: its first candidate in `at` */
    uint8_t *at;            /* by candidate */
    struct rd_event *last;  /* by thread: what it was about to do at the end … */
    struct rd_about {
        const struct rd_event *at;
    } * now; /* … and at the step that is looked at; NULL: nothing */
};

/* All in memory of `a`, which is scratch. */
void rd_backtrack_marks_open(struct rd_backtrack_marks *m, struct rd_arena *a, const struct rd_record *r);
/* Sets RACE and FIRM. */
void rd_backtrack_marks_races(struct rd_backtrack_marks *m, struct rd_arena *a);
/* Sets ASLEEP: what the executions above have taken where this one left them sleeps until something dependent
 * happens. */
void rd_backtrack_marks_sleep(struct rd_backtrack_marks *m, const struct rd_delta_tree *t);
/* The marks of this thread at this step. */
unsigned rd_backtrack_marks_of(const struct rd_backtrack_marks *m, uint32_t step, rd_tid tid);

/* Walks along the execution: `now` is what every thread is about to do before step 0, then after each step. */
void rd_backtrack_marks_begin(struct rd_backtrack_marks *m);
void rd_backtrack_marks_pass(struct rd_backtrack_marks *m, uint32_t step);
/* Where in the code is what this thread is about to do; 0: it is about to do nothing. */
rd_place rd_backtrack_marks_pc(const struct rd_backtrack_marks *m, rd_tid tid);

#endif
