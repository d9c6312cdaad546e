/*
 * minimise.h - looks for the simplest execution that shows a finding, from a recorded one: the fewest preemptions,
 * then the fewest early timeouts and unusual choices inside operations, then the fewest switches, then the fewest
 * steps. Pure: like a search it asks for one execution after the other; the caller runs them and says whether they
 * show the finding.
 *
 * Call order: open; then next, and for every RD_NEXT_RUN the execution and one feedback. The caller may stop at any
 * time. Once `repeated` is true, `steps` is the simplest execution so far, the recorded one included.
 */
#ifndef RD_EXPLORE_MINIMISE_H
#define RD_EXPLORE_MINIMISE_H

#include "search/search.h"

/* How simple an execution is: compared member by member in this order. */
struct rd_cost {
    uint32_t preemptions;
    uint32_t unusual; /* waits that ended early although other threads could go on, and ways other than the first */
    uint32_t switches, steps;
};

/* A *difference*: a step at which the execution differs from the default behaviour. */
struct rd_delta {
    struct rd_choice choice; /* as an element of a guide (pick/guide.h) */
    uint32_t step;
    bool preempts;
};

/* What the next execution leaves out, to see whether the finding needs it. */
enum rd_minimise_how {
    RD_MINIMISE_PIECES, /* `size` differences in a row */
    RD_MINIMISE_PAIRS,  /* two neighbouring differences */
    RD_MINIMISE_TURNS,  /* a turn of a thread: its steps between two switches are done later */
};

/* The phases come in this order; but when PROVE finds a better execution, DIFFERENCES comes again. */
enum rd_minimise_phase {
    RD_MINIMISE_REPEAT,        /* runs the recorded execution as it is */
    RD_MINIMISE_DEFAULT,       /* runs the default behaviour alone */
    RD_MINIMISE_NO_PREEMPTION, /* leaves out all preemptions, keeps all other differences */
    RD_MINIMISE_PREEMPTIONS,   /* leaves out preemptions, in smaller and smaller pieces */
    RD_MINIMISE_DIFFERENCES,   /* leaves out single differences, pairs, or turns */
    RD_MINIMISE_PROVE,         /* runs all executions with fewer preemptions */
    RD_MINIMISE_DONE
};

struct rd_minimise {
    struct rd_arena *arena;
    enum rd_minimise_phase phase;
    bool predicted; /* the finding shows at a step, not at the end of the execution */
    bool repeated;  /* REPEAT has shown the finding: `steps`, `cost`, `finding` and `delta` are valid */
    bool proved;    /* no execution with fewer preemptions shows the finding */
    bool unreduced; /* PROVE runs every execution, because equivalent ones do not stand for each other */
    bool doubt;     /* an execution of PROVE voids the proof (rd_minimise_voids_proof) */
    struct rd_cost before, cost;    /* of the recorded execution, and of the best one */
    struct rd_finding finding;      /* as the best execution shows it */
    const struct rd_step *recorded; /* the recorded execution */
    uint32_t recorded_count;
    struct rd_step *steps; /* the best execution: cost.steps of them */
    uint32_t room;
    struct {
        RD_VEC(struct rd_delta);
    } delta; /* the differences of the best execution, in the order of steps */
    enum rd_minimise_how how;
    uint32_t from, size; /* number of the first difference, or of the turn, that is left out; and how many are */
    bool shrunk;         /* a better execution was found since `from` was 0 */
    void *search;        /* the search of PROVE; NULL until it begins */
    size_t search_from;  /* the arena's `used` when it was opened */
};

/* `steps`: the recorded execution; it is not copied. For `predicted` and `unreduced` see the members. */
void rd_minimise_open(struct rd_minimise *m, struct rd_arena *a, const struct rd_step *steps, uint32_t count,
                      bool predicted, bool unreduced);
enum rd_next rd_minimise_next(struct rd_minimise *m, struct rd_draft *d);
/* `f`: the finding as the execution shows it; NULL if it does not. */
void rd_minimise_feedback(struct rd_minimise *m, const struct rd_plan *plan, const struct rd_record *r,
                          const struct rd_finding *f);

/* Writes the plan of the best execution without what is left out now, as rd_minimise_next does before PROVE. */
void rd_minimise_guide(const struct rd_minimise *m, struct rd_draft *d);
/* Returns the cost of the first `count` steps of an execution. */
struct rd_cost rd_cost_of(const struct rd_step *steps, uint32_t count);
/* Returns a number below zero if a is simpler, above zero if b is, 0 if they are equal. */
int rd_cost_compare(const struct rd_cost *a, const struct rd_cost *b);
/* Returns the number of steps after which executions are cut, for a recorded execution of `count` steps. */
uint32_t rd_minimise_steps_max(uint32_t count);
/* Returns true if a proof by running all executions is void, because this one was not controlled or had no end. */
bool rd_minimise_voids_proof(const struct rd_plan *plan, const struct rd_outcome *o);

#endif
