/*
 * races.h - the races of the last execution, and the other order of each, for reductions with source sets: depth
 * first (dpor.c, shared_tree.c) and best first (bounded/best_reduced.c).
 */
#ifndef RD_SEARCH_POR_RACES_H
#define RD_SEARCH_POR_RACES_H

#include "search/por/reversal.h"

/*
 * A race: two dependent events of the last execution, by their indices in the graph, that could happen in the other
 * order.
 */
struct rd_race {
    uint32_t first, second;
    /*
     * The other order of the race is redundant, and that follows from the first `settled` events alone: an
     * execution that begins with the same events need not examine the race again. UINT32_MAX: the other order was
     * new, or its redundancy follows from all events.
     */
    uint32_t settled;
};

/* The races of a graph, pending events included, in the order of their second event. */
struct rd_races {
    RD_VEC(struct rd_race);
};

/* Threads whose first event in the other order of a race can come first. */
struct rd_initials {
    RD_VEC(rd_tid);
};

/*
 * Finds all races of the graph. pre: `races` are those of the execution before; races among the events that the two
 * executions have in common are kept.
 */
void rd_races_find(struct rd_races *races, struct rd_arena *a, const struct rd_hb_graph *t);
/*
 * Returns whether the last step has ended the execution while other threads could go on (a failed assertion). Then
 * each pending event could have come before that step, and races with it: rd_races_of_end adds these races.
 */
bool rd_races_ended(const struct rd_record *r);
void rd_races_of_end(struct rd_races *races, struct rd_arena *a, const struct rd_hb_graph *t);
/*
 * Makes `sequence`, the other order of the race, from the events before `end`. `enabled`: the thread of the second
 * event was enabled before the first. Returns false if the events cannot happen in that order.
 */
bool rd_race_reverse(const struct rd_race *race, const struct rd_hb_graph *t, struct rd_arena *a,
                     struct rd_reversal *sequence, uint32_t end, bool enabled);
/* Writes the initials of the sequence. */
void rd_race_initials(const struct rd_reversal *sequence, const struct rd_hb_graph *t, struct rd_arena *a,
                      struct rd_initials *initials);

#endif
