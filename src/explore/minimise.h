/*
 * minimise.h - a recorded execution that shows a finding, made as simple as can be: the fewest preemptions, then
 * the fewest early timeouts and unusual choices inside operations, then the fewest switches, then the shortest.
 * Pure; like a search it asks for one execution after the other, and whoever runs them says whether they show it.
 *
 * Call order: open; then next, and for every RD_NEXT_RUN the execution and one feedback. It can be left at any
 * time: `steps` is the best that was seen, and what it began with at the least.
 */
#ifndef RD_EXPLORE_MINIMISE_H
#define RD_EXPLORE_MINIMISE_H

#include "search/search.h"

struct rd_cost {
    uint32_t preemptions;
    uint32_t unusual; /* waits that were given up although others could go on, ways other than the first */
    uint32_t switches, steps;
};

/* A step at which the execution differs from the default behaviour. */
struct rd_delta {
    struct rd_choice said; /* as an element of a guide */
    uint32_t step;
    bool preempts;
};

/* What is left out to see whether it is needed. */
enum rd_minimise_how {
    RD_MINIMISE_PIECES, /* so many differences in a row */
    RD_MINIMISE_PAIRS,  /* two neighbours */
    RD_MINIMISE_PARTS,  /* all that a thread does between two switches */
};

enum rd_minimise_phase {
    RD_MINIMISE_REPEAT, /* what it is given, as it is */
    RD_MINIMISE_BARE,   /* the default behaviour alone */
    RD_MINIMISE_FREE,   /* no preemption, the rest as it is */
    RD_MINIMISE_CUT,    /* fewer preemptions, in ever smaller pieces */
    RD_MINIMISE_TIDY,   /* any one or two differences fewer, or a part of a thread that is left for later */
    RD_MINIMISE_PROVE,  /* everything with fewer preemptions */
    RD_MINIMISE_DONE
};

struct rd_minimise {
    struct rd_arena *arena;
    enum rd_minimise_phase phase;
    bool predicted; /* it shows at a step, not at the end */
    bool repeated;  /* it showed again */
    bool proved;    /* no execution with fewer preemptions shows it */
    bool plain;     /* nothing may be left out as equivalent */
    bool doubt;     /* some execution was not under control, or was not run to its end */
    struct rd_cost before, cost;
    struct rd_finding finding;
    const struct rd_step *given; /* what it began with */
    uint32_t given_count;
    struct rd_step *steps; /* the best: cost.steps of them */
    uint32_t room;
    struct {
        RD_VEC(struct rd_delta);
    } delta; /* its differences, in order */
    enum rd_minimise_how how;
    uint32_t from, size; /* the piece of them that is being left out */
    bool shrunk;         /* something could be */
    void *search;        /* of PROVE */
    size_t search_from;  /* where in the arena it begins */
};

/*
 * `steps`: the execution, which stay where they are. `plain`: preemptions are restricted to some places, so that
 * executions of one class do not stand for each other.
 */
void rd_minimise_open(struct rd_minimise *m, struct rd_arena *a, const struct rd_step *steps, uint32_t count,
                      bool predicted, bool plain);
enum rd_next rd_minimise_next(struct rd_minimise *m, struct rd_draft *d);
/* `f`: the finding, if the execution shows it; else NULL. */
void rd_minimise_feedback(struct rd_minimise *m, const struct rd_plan *plan, const struct rd_record *r,
                          const struct rd_finding *f);

/* The plan of the best execution without what is left out now; what _next writes, but for the proof. */
void rd_minimise_guide(const struct rd_minimise *m, struct rd_draft *d);
/* Of the first `count` steps of an execution. */
struct rd_cost rd_cost_of(const struct rd_step *steps, uint32_t count);
/* Below zero when a is better. */
int rd_cost_compare(const struct rd_cost *a, const struct rd_cost *b);
/* No execution is run for longer, in steps, when the one that is to be made simpler has so many. */
uint32_t rd_steps_allowed(uint32_t count);
/* Something about the execution that voids what is proved by running everything. */
bool rd_is_doubtful(const struct rd_plan *plan, const struct rd_outcome *o);

#endif
