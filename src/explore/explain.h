/*
 * explain.h - finds the step of a failing execution after which it cannot pass any more, and the order of two
 * operations that makes it fail. Pure: like a search it asks for one execution after the other.
 *
 * The *critical* step is the first after which every execution fails. Two facts show that a step is critical. An
 * execution that leaves the failing one at that step passed. And all executions from there on fail: they are all
 * run, but for equivalent ones. If there are too many, only some are run, and rd_why.all says that.
 *
 * The order: `first` is an operation of the failing execution from the critical step on, `second` an operation of
 * another thread that depends on it. In the failing execution `second` came later or not at all; in the execution
 * that passed it came before `first`.
 *
 * Call order: open; then next, and for every RD_NEXT_RUN the execution and one feedback; result at any time.
 */
#ifndef RD_EXPLORE_EXPLAIN_H
#define RD_EXPLORE_EXPLAIN_H

#include "search/search.h"

enum rd_explain_phase {
    RD_EXPLAIN_REPEAT, /* runs the failing execution itself */
    RD_EXPLAIN_BISECT, /* runs a few executions from a step in the middle of where the critical one may be */
    RD_EXPLAIN_ALL,    /* runs all executions from the critical step on */
    RD_EXPLAIN_DONE
};

struct rd_explain {
    struct rd_arena *arena;
    enum rd_explain_phase phase;
    bool predicted; /* a detector infers the finding from the record: the execution ends at its last step */
    bool unreduced; /* every execution is run, because equivalent ones do not stand for each other */
    bool doubt;     /* an execution was not under control: `all` cannot be claimed */
    const struct rd_step *steps; /* the failing execution, `count` steps */
    uint32_t count;
    bool passed;     /* an execution passed that has the first `common` steps, and no execution with more did */
    uint32_t common; /* invariant, if `passed`: common < fails */
    uint32_t fails;  /* no execution is known to pass that has so many steps in common; at most `count` */
    uint32_t at, attempt; /* BISECT: steps in common of the executions that are being run; which of them */
    const struct rd_search *search; /* ALL: the search below the prefix, and its state */
    void *state;
    uint32_t root;      /* ALL: length of that prefix */
    uint32_t ran;       /* ALL: number of executions */
    bool begun, fed;    /* ALL: the first execution was asked for; its record was given to the search */
    size_t used, lent;  /* the arena's counters before the search */
    size_t search_from; /* … and `used` when the search was open */
    struct rd_why why;
};

/* `steps`: the failing execution; it is not copied. For `predicted` and `unreduced` see the members. */
void rd_explain_open(struct rd_explain *x, struct rd_arena *a, const struct rd_step *steps, uint32_t count,
                     bool predicted, bool unreduced);
enum rd_next rd_explain_next(struct rd_explain *x, struct rd_draft *d);
/* `fails`: the execution shows a finding; if `predicted`, the same finding. */
void rd_explain_feedback(struct rd_explain *x, const struct rd_plan *plan, const struct rd_record *r, bool fails);
/* Writes what is known by now to `why`; leaves its members about minimising as they are. */
void rd_explain_result(const struct rd_explain *x, struct rd_why *why);

#endif
