/*
 * backtrack_marks.h - marks the alternatives at the steps of an execution that dynamic partial-order reduction
 * would put into a backtrack set, and those alternatives that it would put into a sleep set. The marks are
 * priorities for `best` only: no execution is left out because of them.
 */
#ifndef RD_SEARCH_POR_BACKTRACK_MARKS_H
#define RD_SEARCH_POR_BACKTRACK_MARKS_H

#include "search/bounded/delta_tree.h"
#include "trace/event.h"

enum {
    RD_BACKTRACK_RACE = 1, /* in the backtrack set (Flanagan and Godefroid, POPL 2005) */
    /* RACE, but not if the thread is there only because the racing thread was not enabled, nor before a release */
    RD_BACKTRACK_FIRM = 2,
    RD_BACKTRACK_ASLEEP = 4, /* in the sleep set */
};

struct rd_backtrack_marks {
    const struct rd_record *record;
    struct rd_event *event; /* by step */
    uint32_t *next;         /* by step: the next step of its thread; UINT32_MAX: none */
    uint32_t *first;        /* by thread: its first step */
    uint32_t *birth;        /* by thread: the step that created it, + 1; 0: it existed before the first step */
    uint32_t *base;         /* by step: index of its first candidate in `at` */
    uint8_t *at;            /* marks by candidate */
    struct rd_event *last;  /* by thread: its pending event at the end */
    struct rd_about {
        const struct rd_event *at;
    } * now; /* by thread: its pending event at the step that is examined; NULL: none */
};

/* Reads the execution. Takes all memory from `a`, an arena for temporary data. */
void rd_backtrack_marks_open(struct rd_backtrack_marks *m, struct rd_arena *a, const struct rd_record *r);
/* Sets RACE and FIRM. */
void rd_backtrack_marks_races(struct rd_backtrack_marks *m, struct rd_arena *a);
/*
 * Sets ASLEEP: where this execution branched off from an execution above it in the tree, the thread that the
 * picker takes sleeps, until an event happens that depends on its pending event.
 */
void rd_backtrack_marks_sleep(struct rd_backtrack_marks *m, const struct rd_delta_tree *t);
/* Returns the marks of the thread at this step; at a choice inside an operation RACE and FIRM. */
unsigned rd_backtrack_marks_of(const struct rd_backtrack_marks *m, uint32_t step, rd_tid tid);

/*
 * For a walk along the execution: `begin` sets `now` to the pending events before step 0, `pass` sets it to the
 * pending events after this step.
 */
void rd_backtrack_marks_begin(struct rd_backtrack_marks *m);
void rd_backtrack_marks_pass(struct rd_backtrack_marks *m, uint32_t step);
/* Returns the code address of the thread's event in `now`; 0: it has none. */
rd_place rd_backtrack_marks_pc(const struct rd_backtrack_marks *m, rd_tid tid);

#endif
