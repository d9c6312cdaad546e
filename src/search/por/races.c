/* races.c - see races.h. */
#include "search/por/races.h"

/*
 * Returns whether an event happened after `first` that races with `second` and could surely come after it: then the
 * race is not immediate.
 */
static bool hidden(const struct rd_hb_graph *t, uint32_t first, uint32_t second) {
    RD_ASSERT(first < second);
    uint32_t count;
    const uint32_t *racing = rd_hb_graph_racing(t, second, &count);
    for (uint32_t i = 0; i < count; i++)
        if (racing[i] > first && rd_hb_graph_before(t, first, racing[i]) &&
            rd_hb_graph_swap(t, racing[i], second) == RD_SWAP_SURE)
            return true;
    return false;
}

/* Adds all races in which this event is the second one. */
static void add_races_of(struct rd_races *races, struct rd_arena *a, const struct rd_hb_graph *t, uint32_t second) {
    uint32_t count;
    const uint32_t *racing = rd_hb_graph_racing(t, second, &count);
    for (uint32_t i = 0; i < count; i++)
        if (rd_hb_graph_swap(t, racing[i], second) != RD_SWAP_NEVER && !hidden(t, racing[i], second))
            rd_vec_push(a, races, (struct rd_race){racing[i], second, UINT32_MAX});
}

void rd_races_find(struct rd_races *races, struct rd_arena *a, const struct rd_hb_graph *t) {
    while (races->count && races->at[races->count - 1].second >= t->kept)
        races->count--;
    RD_CHECK(t->kept <= t->count);
    for (uint32_t i = t->kept; i < t->all; i++)
        add_races_of(races, a, t, i);
}

bool rd_races_ended(const struct rd_record *r) {
    return r->out->verdict == RD_FOUND && r->out->finding.kind != RD_DEADLOCK && r->out->steps;
}

void rd_races_of_end(struct rd_races *races, struct rd_arena *a, const struct rd_hb_graph *t) {
    for (uint32_t i = t->count; t->count && i < t->all; i++)
        if (t->at[i].e.tid != t->at[t->count - 1].e.tid)
            rd_vec_push(a, races, (struct rd_race){t->count - 1, i, UINT32_MAX});
}

bool rd_race_reverse(const struct rd_race *race, const struct rd_hb_graph *t, struct rd_arena *a,
                     struct rd_reversal *sequence, uint32_t end, bool enabled) {
    rd_tid last = t->at[race->second].e.tid;
    RD_CHECK(race->first < t->count);
    rd_reversal_make(sequence, a, t, race->first, race->second, end);
    /* if other threads' events are independent of the second event, they cannot have enabled it either */
    return enabled || rd_reversal_event(sequence, t, last) != race->second ||
           !rd_reversal_begins(sequence, t, last);
}

void rd_race_initials(const struct rd_reversal *sequence, const struct rd_hb_graph *t, struct rd_arena *a,
                      struct rd_initials *initials) {
    initials->count = 0;
    for (uint32_t i = 0; i < sequence->threads.count; i++)
        if (rd_reversal_begins(sequence, t, sequence->threads.at[i]))
            rd_vec_push(a, initials, sequence->threads.at[i]);
}
