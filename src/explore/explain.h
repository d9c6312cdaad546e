/*
 * explain.h - which step of a failing execution decides it, and which order of operations. Pure; asks for one
 * execution after the other, as a search does.
 *
 * The *critical* step is the first after which every execution fails. That one before it passes is shown by an
 * execution that passed. That all after it fail is shown by running all of them, but for equivalent ones, where
 * that can be done; where not, it only held in those that were run, and which of the two it is is said.
 *
 * The order: an operation of the failing execution, from the critical step on, and one of another thread that
 * depends on it, which came later or not at all, but came first in the execution that passed.
 */
#ifndef RD_EXPLORE_EXPLAIN_H
#define RD_EXPLORE_EXPLAIN_H

#include "search/search.h"

enum rd_explain_phase {
    RD_EXPLAIN_REPEAT, /* the failing execution itself */
    RD_EXPLAIN_BISECT, /* a few executions from the middle of what is not known */
    RD_EXPLAIN_ALL,    /* all from the critical step on */
    RD_EXPLAIN_DONE
};

struct rd_explain {
    struct rd_arena *arena;
    enum rd_explain_phase phase;
    bool predicted, plain, doubt;
    const struct rd_step *steps; /* that fail */
    uint32_t count;
    bool escaped; /* an execution passed that has the first `common` steps, and then another */
    uint32_t common;
    uint32_t fails; /* from so many steps on no execution was seen that passes */
    uint32_t at, attempt;
    const struct rd_search *search;
    void *state;
    uint32_t root;                  /* steps that all executions of the search have */
    uint32_t ran;                   /* executions of it */
    bool begun, fed;                /* its first execution was asked for, was given to it */
    size_t used, lent, search_from; /* of the arena before the search, and when it began */
    struct rd_why why;
};

void rd_explain_open(struct rd_explain *x, struct rd_arena *a, const struct rd_step *steps, uint32_t count,
                     bool predicted, bool plain);
enum rd_next rd_explain_next(struct rd_explain *x, struct rd_draft *d);
/* `fails`: it shows a finding, of what was predicted the same. */
void rd_explain_feedback(struct rd_explain *x, const struct rd_plan *plan, const struct rd_record *r, bool fails);
/* What is known by now, in `why`; the rest of it is left as it is. */
void rd_explain_result(const struct rd_explain *x, struct rd_why *why);

#endif
